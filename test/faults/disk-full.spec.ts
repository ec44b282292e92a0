import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '#embedded/postgres-server.js';
import { createTestDatabase } from '#testing/database.js';
import { ProcessSystem, type Seen } from '#testing/process-system.js';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { disagreements, readBooks } from '#testing/three-books.js';
import { until } from '#testing/until.js';

const folder = mkdtempSync(join(tmpdir(), 'payonce-full-'));
const SIZE_MB = 400;
/** Only root may mount, and a container may forbid it to root as well. */
const mounted =
  process.platform === 'linux' &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', folder]).status === 0;
const WHY_NOT = mounted ? '' : ' (skipped: this user cannot mount a small disk)';

describe('a disk that is full', () => {
  const processes = new Processes();
  let server: PostgresServer;
  let system: ProcessSystem;
  let api: ServiceProcess;
  beforeAll(async () => {
    if (!mounted) return;
    chmodSync(folder, 0o711); // the server's own user passes through
    server = await startServer();
    system = await ProcessSystem.start({ database: await createTestDatabase(server.ownerUrl) });
    api = await system.api(processes);
  });
  afterAll(async () => {
    await processes.endAll();
    await system?.close();
    await server?.stop();
    if (mounted) execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  const startServer = (port = 0) => startPostgres({ folder: join(folder, 'postgres'), port });
  const pay = (key: string) => system.pay(api, key, { order_id: key });

  it.skipIf(!mounted)(
    `under the database is 503, or 202 where money may have moved; with room again all is done once${WHY_NOT}`,
    async () => {
      const heard = new Map<string, Seen[]>();
      const payOnce = async () => {
        const key = randomUUID();
        const answer = await pay(key);
        heard.set(key, [answer]);
        return answer.status;
      };
      expect(await payOnce()).toBe(201);
      fill(join(folder, 'ballast'));
      const refused = [];
      // What has room in the last page still goes; a table or the log that must grow does not.
      for (let n = 0; refused.length < 10 && n < 5_000; n++) {
        const status = await payOnce();
        if (status !== 201) refused.push(status);
      }
      expect(refused).toHaveLength(10);
      expect(refused.filter((status) => status !== 503 && status !== 202)).toEqual([]);

      rmSync(join(folder, 'ballast'));
      // A log that could not grow ends the server; a person starts it again.
      if (!(await isUp())) {
        await server.stop();
        server = await startServer(server.port);
      }
      for (const [key, answers] of heard) {
        await until(async () => {
          const answer = await pay(key);
          answers.push(answer);
          if (answer.status === 409 || answer.status === 202) await advance();
          return answer.status === 201;
        }, 60_000);
        const { accountId, mockClient } = system;
        const books = await asOwner((owner) => readBooks({ owner, mockClient, accountId }, key));
        expect(disagreements(books, answers)).toEqual([]);
      }
    },
    180_000,
  );

  function isUp(): Promise<boolean> {
    const look = (owner: pg.Client) => owner.query('SELECT');
    return asOwner(look).then(
      () => true,
      () => false,
    );
  }

  async function advance(): Promise<void> {
    const minute = `UPDATE test_clock SET advance = advance + interval '1 minute'`;
    await asOwner((owner) => owner.query(minute));
  }

  async function asOwner<T>(work: (owner: pg.Client) => Promise<T>): Promise<T> {
    const owner = new pg.Client({ connectionString: system.database.url });
    owner.on('error', () => {});
    try {
      await owner.connect();
      return await work(owner);
    } finally {
      await owner.end();
    }
  }
});

/** Writes until nothing more fits. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  try {
    for (const size of [1024 * 1024, 4096]) {
      const block = Buffer.alloc(size);
      try {
        for (;;) if (writeSync(descriptor, block) < size) break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(descriptor);
  }
}
