import { execFileSync } from 'node:child_process';
import { chmodSync, lchownSync, lstatSync, mkdirSync } from 'node:fs';

export interface OsUser {
  name: string;
  /** For `spawn`; empty when the server runs as whoever runs us. */
  identity: { uid?: number; gid?: number };
}

/**
 * The OS user that the database server runs as. PostgreSQL refuses root, and `initdb` refuses a uid
 * that has no entry in the user database, so root needs a user that exists.
 */
export function databaseUser(): OsUser {
  if (process.getuid?.() !== 0) return { name: 'this user', identity: {} };
  for (const name of ['postgres', 'nobody']) {
    const uid = idOf('-u', name);
    const gid = idOf('-g', name);
    if (uid !== undefined && gid !== undefined) return { name, identity: { uid, gid } };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and neither the OS user "postgres" nor "nobody" exists. ' +
      'Make one of them, run as a normal user, or set DATABASE_URL.',
  );
}

function idOf(flag: '-u' | '-g', name: string): number | undefined {
  try {
    return Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return undefined;
  }
}

/** Makes the folder, the user's own and closed to everyone else, or says why that is impossible. */
export function claimFolder(folder: string, user: OsUser): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const uid = user.identity.uid ?? process.getuid?.();
  const mayTakeOver = process.getuid?.() === 0 && (found.uid === 0 || found.uid === uid);
  // A folder that someone else made first, under a name that can be guessed, is not to be trusted.
  if (!found.isDirectory() || (found.uid !== uid && !mayTakeOver)) {
    throw new Error(`${folder} is not a folder of ${user.name}. Remove it or set PAYONCE_HOME.`);
  }
  giveTo(folder, user);
  chmodSync(folder, 0o700);
}

export function giveTo(path: string, { identity }: OsUser): void {
  if (identity.uid !== undefined && identity.gid !== undefined) {
    lchownSync(path, identity.uid, identity.gid);
  }
}
