import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
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
  const data = process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share');
  if (canMake(join(data, 'payonce'))) return join(data, 'payonce');
  return join(tmpdir(), `payonce-${process.getuid?.() ?? 'user'}`);
}

function canMake(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return canWrite(folder);
  } catch {
    return false; // a user without a home of its own
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
