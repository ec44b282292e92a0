import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OsUser } from './os-user.js';
import { giveTo } from './os-user.js';
import type { Programs } from './postgres-programs.js';

const PASSWORD_FILE = 'owner-password';

/** The owner's password: random, made once, readable by the folder's user alone. */
export function ownerPassword(folder: string, user: OsUser): string {
  const file = join(folder, PASSWORD_FILE);
  if (!existsSync(file)) {
    const aside = `${file}.new`;
    writeFileSync(aside, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
    giveTo(aside, user);
    renameSync(aside, file);
  }
  return readFileSync(file, 'utf8').trim();
}

/** Makes the data folder unless it is there. Made aside, so that half of one is never taken for one. */
export async function initializeData(options: {
  folder: string;
  data: string;
  programs: Programs;
  user: OsUser;
  durable: boolean;
  log: (line: string) => void;
}): Promise<void> {
  const { folder, data, programs, user, durable, log } = options;
  if (existsSync(data)) return;
  log('Making a new database (a second or two)');
  removeHalfMade(folder);
  // A name of this run's own: the initdb of a killed run may still be writing to the last one.
  const aside = `${data}.new-${process.pid}`;
  const flags = [
    `--pgdata=${aside}`,
    '--username=payonce',
    `--pwfile=${join(folder, PASSWORD_FILE)}`,
    '--auth=scram-sha-256',
    '--data-checksums',
    '--encoding=UTF8',
    '--locale=C',
    // The built-in provider sorts alike on every machine; the C library's rules differ by host.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ];
  const args = durable ? flags : [...flags, '--no-sync'];
  await run(programs.initdb, args, folder, user);
  await createOwnersDatabase(programs, aside, folder, user);
  renameSync(aside, data);
}

function removeHalfMade(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('data.new-')) continue;
    rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** `--single` needs no port and no second start. */
async function createOwnersDatabase(
  programs: Programs,
  data: string,
  folder: string,
  user: OsUser,
): Promise<void> {
  const args = ['--single', '-D', data, 'postgres'];
  await run(programs.postgres, args, folder, user, 'CREATE DATABASE payonce\n');
}

function run(
  program: string,
  args: string[],
  cwd: string,
  user: OsUser,
  input = '',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { LC_ALL: 'C', PATH: process.env['PATH'] };
    const child = spawn(program, args, { ...user.identity, cwd, env, stdio: 'pipe' });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ended with ${code}:\n${output.trim()}`));
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
