import { randomUUID } from 'node:crypto';
import { DatabaseError } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importSince } from '#payments/import-since.js';
import { nothingLost, recognizeServer } from '#payments/recognize-server.js';
import { Db, type Tx } from '#postgres/db.js';
import { openPool } from '#postgres/pool.js';
import { type System, startSystem } from '#testing/system.js';
import { until } from '#testing/until.js';

let system: System;
beforeAll(async () => {
  system = await startSystem({ env: { VISIBILITY_WINDOW_MS: '0' } });
});
afterAll(() => system.close());

const recoveries = async () =>
  (await system.owner.query('SELECT since, opened_at FROM recoveries ORDER BY since')).rows;
const said = (event: string) => system.log.filter((line) => line.event === event);

/** As if what was stored came from before a restore: the server goes on under another number. */
async function becomeAnother(cut: 'pool' | 'instance'): Promise<void> {
  await system.owner.query('UPDATE timelines SET timeline = timeline + 1000');
  await connectAgain(cut);
}

/** Behind a pooler, which keeps its connections, the instance's session is the only one that breaks. */
async function connectAgain(cut: 'pool' | 'instance'): Promise<void> {
  const noticed = cut === 'pool' ? 'database_connection_lost' : 'instance_registered';
  const before = said(noticed).length;
  const { rows } = await system.owner.query(
    `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = $1`,
    [cut === 'pool' ? 'test' : 'test instance'],
  );
  expect(rows.length).toBeGreaterThan(0);
  // That the server has ended them is not enough: this process has to have seen it.
  await until(async () => said(noticed).length >= before + rows.length);
  await until(async () => (await system.client.get('/health/ready')).status === 200);
  await until(() => system.core.deps.instance.registered(1_000));
}

describe('a database that goes on from another server', () => {
  it('is only noted when it is the first that is seen', async () => {
    expect((await system.client.pay()).status).toBe(201);
    const { rows } = await system.owner.query('SELECT since FROM timelines');
    expect(rows).toEqual([{ since: null }]);
    expect(said('timeline_noted')).toHaveLength(1);
    expect(await recoveries()).toEqual([]);
  });

  it('claims nothing, however many connect at once, and says so once', async () => {
    const { rows: claims } = await system.owner.query(
      `SELECT date_trunc('milliseconds', max(claimed_at)) AS last FROM idempotency_keys`,
    );
    await becomeAnother('pool');
    const book = await system.booked();
    const answers = await Promise.all(Array.from({ length: 8 }, () => system.client.pay()));
    expect(answers.map(({ json }) => json.code)).toEqual(Array(8).fill('recovering'));
    expect(await system.booked()).toEqual(book);
    expect(said('database_set_back')).toEqual([
      expect.objectContaining({ level: 'critical', since: claims[0].last.toISOString() }),
    ]);
    expect(await recoveries()).toEqual([{ since: claims[0].last, opened_at: null }]);
  });

  it('opens by itself once all is imported, and stays open for whoever connects then', async () => {
    const pass = await importSince(system.core.deps, randomUUID(), 'wrk_test');
    expect(pass).toMatchObject({ opened: true });
    await connectAgain('pool');
    expect((await recoveries()).map(({ opened_at }) => opened_at)).toEqual([expect.any(Date)]);
  });

  it('begins anew where nothing was claimed since, and sees it behind a pooler too', async () => {
    await becomeAnother('instance');
    expect((await system.client.pay()).json.code).toBe('recovering');
    expect((await recoveries()).map(({ opened_at }) => opened_at)).toEqual([null]);
    expect(said('database_set_back')).toHaveLength(2);
  });

  it('opens at once when the owner says that nothing was lost, before or after it was seen', async () => {
    const { url } = system.database;
    const db = new Db(
      openPool({ url, applicationName: 't', connectionsMax: 1, onIdleError: () => {} }),
    );
    expect(await nothingLost(db)).toHaveLength(1);
    expect((await system.client.pay()).status).toBe(201);
    await system.owner.query('UPDATE timelines SET timeline = timeline + 1000');
    expect(await nothingLost(db), 'nothing had begun').toEqual([]);
    await db.close();
    await connectAgain('pool');
    expect((await system.client.pay()).status).toBe(201);
  });
});

describe('a server that cannot be compared', () => {
  const critical: string[] = [];
  const log = {
    ...silent(),
    warning: (event: string) => void critical.push(event),
  };
  const answering = (work: () => unknown) => ({ run: async () => work() }) as unknown as Tx;

  it('is not connected to while it is in recovery itself: it may be promoted under us', async () => {
    const standby = answering(() => [{ system_identifier: '1', timeline: null, known: false }]);
    await expect(recognizeServer(standby, { log })).rejects.toThrow('in recovery itself');
  });

  it('is said aloud where its functions are missing, and used', async () => {
    const foreign = answering(() => {
      const error = new DatabaseError('no such function', 0, 'error');
      throw Object.assign(error, { severity: 'ERROR', code: '42883' });
    });
    await recognizeServer(foreign, { log });
    expect(critical).toEqual(['timeline_unknown']);
  });

  it('is not used where the table is missing', async () => {
    const empty = answering(() => {
      const error = new DatabaseError('no such table', 0, 'error');
      throw Object.assign(error, { severity: 'ERROR', code: '42P01' });
    });
    await expect(recognizeServer(empty, { log })).rejects.toThrow('no such table');
  });

  function silent() {
    const none = () => {};
    return { debug: none, info: none, warning: none, error: none, critical: none };
  }
});
