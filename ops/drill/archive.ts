import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { databaseUser, giveTo } from '#embedded/os-user.js';
import type { Db } from '#postgres/db.js';
import { LongSession } from '#postgres/long-session.js';
import { onDatabase } from '../on-database.js';
import type { CrashingPostgres } from '../prove/crashing-postgres.js';
import * as sql from './archive.sql.js';
import { until } from '../until.js';

const MARK_NAME = 'before_the_disaster';
const run = promisify(execFile);

type ArchiveOrder = { say: (line: string) => void; stopping: AbortSignal };

/** A server's write-ahead log, kept beside it, and one base backup: what it takes to be set back to an instant. */
export class Archive {
  private constructor(
    private readonly postgres: CrashingPostgres,
    private readonly order: ArchiveOrder,
  ) {}

  /** Starts the server once more, since archiving is switched on at its start. */
  static async begin(postgres: CrashingPostgres, order: ArchiveOrder): Promise<Archive> {
    const archive = new Archive(postgres, order);
    await archive.#onServer(async (db) => {
      for (const setting of sql.archiveInto(archive.#log)) await db.run(setting, []);
    });
    await postgres.crash('immediate', 0);
    return archive;
  }

  /** A copy of the data folder while the server serves; together with the log it is one that fits together. */
  async backUp(): Promise<void> {
    const { ownerUrl: url } = this.postgres;
    const session = await LongSession.open({ url, applicationName: 'drill' });
    try {
      await session.run(sql.BEGIN_BACKUP, []);
      await copy(join(this.postgres.folder, 'data'), this.#backup);
      const [end] = await session.run(sql.END_BACKUP, []);
      this.#leave('backup_label', end?.labelfile ?? '');
    } finally {
      await session.close();
    }
    for (const name of readdirSync(join(this.#backup, 'pg_wal'))) {
      rmSync(join(this.#backup, 'pg_wal', name), { recursive: true, force: true });
    }
    rmSync(join(this.#backup, 'postmaster.pid'), { force: true });
    this.order.say('Copied the data folder while it was in use: the base backup');
  }

  /** The instant that the database can be set back to; returns when the log up to there is in the archive. */
  async mark(): Promise<Date> {
    const mark = await this.#onServer(async (db) => {
      const [row] = await db.run(sql.MARK, [MARK_NAME]);
      await db.run(sql.SWITCH_SEGMENT, []);
      return row;
    });
    if (!mark) throw new Error('Bug: a statement without FROM returned no row');
    await this.#until('the log is archived', async () => existsSync(join(this.#log, mark.segment)));
    return mark.now;
  }

  /** Throws the data away and puts back what was at the mark. What the server wrote after it is gone. */
  async restore(): Promise<void> {
    await this.postgres.changed(async (folder) => {
      rmSync(join(folder, 'data'), { recursive: true, force: true });
      this.#leave('recovery.signal', '');
      appendFileSync(
        join(this.#backup, 'postgresql.auto.conf'),
        [
          `restore_command = 'cp "${this.#log}/%f" "%p"'`,
          `recovery_target_name = '${MARK_NAME}'`,
          `recovery_target_action = 'promote'\n`,
        ].join('\n'),
      );
      await copy(this.#backup, join(folder, 'data'));
    });
    await this.#until('the server has reached the mark', async () => {
      const [row] = await this.#onServer((db) => db.run(sql.IS_RESTORING, []));
      return row?.restoring === false;
    });
  }

  get #log(): string {
    return join(this.postgres.folder, 'archive');
  }

  get #backup(): string {
    return join(this.postgres.folder, 'base-backup');
  }

  #leave(name: string, text: string): void {
    const path = join(this.#backup, name);
    writeFileSync(path, text, { mode: 0o600 });
    giveTo(path, databaseUser());
  }

  #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    return until(what, this.order, holds);
  }

  #onServer<Value>(work: (db: Db) => Promise<Value>): Promise<Value> {
    return onDatabase(this.postgres.ownerUrl, 'drill', work);
  }
}

/** Owners and rights included. A file of a server that serves may be gone before it is copied: the log has it. */
async function copy(from: string, to: string): Promise<void> {
  try {
    await run('cp', ['-a', from, to]);
  } catch (error) {
    const lines = String((error as { stderr?: string }).stderr)
      .trim()
      .split('\n');
    if (!lines.every((line) => line.includes('No such file or directory'))) throw error;
  }
}
