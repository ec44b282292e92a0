import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seen } from '#testing/process-system.js';
import { disagreements } from '#testing/three-books.js';
import { OwnServer } from './own-server.js';

const folder = mkdtempSync(join(tmpdir(), 'payonce-full-'));
const SIZE_MB = 400;
/** Only root may mount, and a container may forbid it to root as well. */
const mounted =
  process.platform === 'linux' &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', folder]).status === 0;
const WHY_NOT = mounted ? '' : ' (skipped: this user cannot mount a small disk)';

describe('a disk that is full', () => {
  let own: OwnServer;
  beforeAll(async () => {
    if (mounted) own = await OwnServer.start(folder);
  });
  afterAll(async () => {
    await own?.close();
    if (mounted) execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  it.skipIf(!mounted)(
    `under the database is 503, or 202 where money may have moved; with room again all is done once${WHY_NOT}`,
    async () => {
      const heard = new Map<string, Seen[]>();
      const payOnce = async () => {
        const key = randomUUID();
        const answer = await own.pay(key);
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
        await own.server.stop();
        await own.startAgain();
      }
      for (const [key, answers] of heard) {
        await own.payUntilPaid(key, answers);
        expect(disagreements(await own.booksOf(key), answers)).toEqual([]);
      }
    },
    180_000,
  );

  function isUp(): Promise<boolean> {
    const look = (owner: pg.Client) => owner.query('SELECT');
    return own.asOwner(look).then(
      () => true,
      () => false,
    );
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
