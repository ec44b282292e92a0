import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '#embedded/postgres-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The owner's address of this test run's own PostgreSQL server. */
    postgresUrl: string;
  }
}

const PREFIX = 'payonce-test-';

/** One PostgreSQL server for a test run, gone with it. Specs take `inject('postgresUrl')`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeLeftovers();
  const parent = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  // The server's own user, another one when we are root, passes through here to its folder.
  chmodSync(parent, 0o711);
  const server = await startPostgres({ folder: join(parent, 'postgres'), unsafeFast: true });
  project.provide('postgresUrl', server.ownerUrl);
  return async () => {
    await server.stop();
    rmSync(parent, { recursive: true, force: true });
  };
}

/** A run that was killed leaves its folder; its server stopped with it. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(name.startsWith(PREFIX) && name.slice(PREFIX.length).split('-')[0]);
    if (pid > 1 && !isAlive(pid)) removeIfOurs(join(tmpdir(), name));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function removeIfOurs(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another user's leftover stays for that user.
  }
}
