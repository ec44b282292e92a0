import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { databaseUser } from './os-user.js';

/**
 * The folder that holds what a checkout keeps between two starts: the database, the mock
 * processor's book, the addresses of the run. It lies outside the checkout, since root's database
 * runs as an OS user that often may not enter it, and each checkout has its own.
 */
export function payonceHome(): string {
  const home = process.env['PAYONCE_HOME'] ? resolve(process.env['PAYONCE_HOME']) : defaultHome();
  mkdirSync(home, { recursive: true, mode: 0o700 });
  refuseIfForeign(home);
  if (process.getuid?.() === 0) letDatabaseUserThrough(home);
  return home;
}

/** The folder of `package.json`, also when this file runs out of a build inside it. */
export function checkoutRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'ops', 'run.mjs'))) {
    const parent = dirname(folder);
    if (parent === folder) return process.cwd();
    folder = parent;
  }
  return folder;
}

function defaultHome(): string {
  const checkout = createHash('sha256').update(realpathSync(checkoutRoot())).digest('hex');
  return join(stateFolder(), checkout.slice(0, 12));
}

function stateFolder(): string {
  if (process.getuid?.() === 0)
    return join(canWrite('/var/lib') ? '/var/lib' : tmpdir(), 'payonce');
  const own = ownDataFolder();
  if (own !== undefined && canMake(own)) return own;
  const shared = join(tmpdir(), `payonce-${process.getuid?.() ?? 'user'}`);
  if (existsSync(shared)) refuseIfForeign(shared);
  return shared;
}

/** Undefined for a user without a home, such as a container's. */
function ownDataFolder(): string | undefined {
  try {
    const data = process.env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share');
    return join(data, 'payonce');
  } catch {
    return undefined;
  }
}

/** In a folder that everybody may write to, somebody else can have made this one first, and would own it. */
function refuseIfForeign(folder: string): void {
  const { uid } = lstatSync(folder);
  if (process.getuid === undefined || uid === process.getuid()) return;
  throw new Error(`${folder} belongs to another OS user. Remove it or set PAYONCE_HOME.`);
}

function canMake(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return canWrite(folder);
  } catch {
    return false; // its home is not there, or is read-only
  }
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The database's user passes through to its own folder inside, and sees nothing else on the way. */
function letDatabaseUserThrough(home: string): void {
  const { gid } = databaseUser().identity;
  if (!process.env['PAYONCE_HOME']) chmodSync(dirname(home), 0o755);
  if (gid !== undefined) chownSync(home, 0, gid);
  chmodSync(home, 0o710);
}
