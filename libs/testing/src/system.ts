import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createApiKey, createOperatorKey } from '#accounts/manage-api-keys.js';
import { type InboxPass, sweepInbox } from '#payments/sweep-inbox.js';
import { sweepLeases } from '#payments/sweep-leases.js';
import { DEMO_WEBHOOK_SECRET, readConfig } from '#platform/config.js';
import { type Core, openCore } from '#platform/core.js';
import { openLogger } from '#platform/logging.js';
import { Db } from '#postgres/db.js';
import { openPool } from '#postgres/pool.js';
import { systemRandom } from '#seams/random.js';
import { createApp } from '../../../apps/payments-api/src/create-app.js';
import { type Mock, startMockProcessor } from '../../../apps/mock-processor/src/server.js';
import { type TestDatabase, createTestDatabase } from './database.js';
import { type Answer, ApiClient } from './http.js';
import { type BookLine, MockClient } from './mock-client.js';

export type SystemOptions = {
  /** Settings, as in `.env.example`. */
  env?: Record<string, string>;
  /** Replaces the database's clock by one that `advance` moves. */
  bendTime?: boolean;
  /** A migrated database to run on, in place of a fresh clone; it is dropped at the end as well. */
  database?: TestDatabase;
  /** Stands between the application and PostgreSQL: gets the application's address, returns another. */
  appUrl?: (url: string) => string;
  /** The mock sends its events to this API. */
  webhooks?: boolean;
};

/** The API, its database and the mock processor, in this process; the worker's sweep is called by hand. */
export type System = {
  client: ApiClient;
  account: { id: string; name: string };
  core: Core;
  database: TestDatabase;
  /** The owner's connection, to look and to plant. */
  owner: pg.Client;
  mock: Mock;
  mockClient: MockClient;
  /** Log lines so far. */
  log: { level: string; event: string; [fact: string]: unknown }[];
  /** Another account, and a client that is it. */
  newClient(options?: NewClient): Promise<ApiClient>;
  /** A client that is an operator. */
  newOperator(operator?: string, mode?: 'test' | 'live'): Promise<ApiClient>;
  /** One pass of the lease sweep. */
  sweep(): Promise<Record<number, number>>;
  /** One pass over the inbox. */
  sweepInbox(): Promise<InboxPass['ended']>;
  /** Sweeps until the payment is final; moves the bent clock where there is one. Throws after `passes`. */
  settle(paymentId: string, passes?: number): Promise<Answer>;
  /** Moves the database's clock (needs `bendTime`) and the mock's. */
  advance(ms: number): Promise<void>;
  /** Lines of the processor's book of one operation. */
  booked(operation?: string): Promise<BookLine[]>;
  close(): Promise<void>;
};

type NewClient = {
  name?: string;
  mode?: 'test' | 'live';
  scopes?: ('payments:write' | 'payments:read')[];
};

export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-system-'));
  const database = options.database ?? (await createTestDatabase());
  const owner = new pg.Client({ connectionString: database.url });
  owner.on('error', () => {});
  await owner.connect();
  if (options.bendTime) await bendTime(owner);
  const mock = await startMockProcessor({ bookFile: join(folder, 'book.jsonl') });
  const log: System['log'] = [];
  const appUrl = options.appUrl?.(database.appUrl) ?? database.appUrl;
  const core = await openTestCore({ ...options.env }, appUrl, mock.url, log);
  const app = await createApp(core);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  if (options.webhooks)
    mock.sendWebhooksTo({ url: `${url}/webhooks/stripe`, secret: DEMO_WEBHOOK_SECRET });
  const newClient = (wanted?: NewClient) => makeClient(database.url, url, wanted);
  const newOperator = async (operator = 'Ann', mode: 'test' | 'live' = 'test') => {
    const make = (db: Db) => createOperatorKey({ db, random: systemRandom }, { operator, mode });
    return new ApiClient(url, (await asOwner(database.url, make)).key);
  };
  const mockClient = new MockClient(mock.url);
  const client = await newClient({ name: 'first' });
  const account = (await owner.query(`SELECT id, name FROM accounts WHERE name = 'first'`)).rows[0];
  const sweep = async () => (await sweepLeases(core.deps, `wrk_${randomUUID()}`)).finished;
  const inboxPass = async () => (await sweepInbox(core.deps, `wrk_${randomUUID()}`)).ended;
  const advance = async (ms: number) => {
    await owner.query(`UPDATE test_clock SET advance = advance + $1 * interval '1 millisecond'`, [
      ms,
    ]);
    await mockClient.advance(ms);
  };
  const settle = async (paymentId: string, passes = 60) => {
    for (let pass = 0; pass < passes; pass++) {
      // Looked up in the database: a GET would ask the processor, and recovery is what is watched here.
      const { rows } = await owner.query('SELECT status FROM payments WHERE id = $1', [paymentId]);
      if (rows[0].status !== 'pending') return client.get(`/v1/payments/${paymentId}`);
      if (options.bendTime) await advance(1_000);
      await sweep();
    }
    throw new Error(`Payment ${paymentId} is still pending after ${passes} passes`);
  };
  const booked = async (operation?: string) => {
    const lines = await mockClient.book();
    return lines.filter((line) => operation === undefined || line.operation === operation);
  };
  const close = async () => {
    await app.close();
    await core.close();
    await mock.close();
    await owner.end();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    client,
    account,
    core,
    database,
    owner,
    mock,
    mockClient,
    log,
    newClient,
    newOperator,
    sweep,
    sweepInbox: inboxPass,
    settle,
    advance,
    booked,
    close,
  };
}

async function openTestCore(
  env: Record<string, string>,
  appUrl: string,
  mockUrl: string,
  log: System['log'],
) {
  const config = readConfig({
    APP_DATABASE_URL: appUrl,
    STRIPE_API_BASE: mockUrl,
    LOG_LEVEL: 'debug',
    ...env,
  });
  const logger = openLogger('test', config.logLevel, {
    write: (line: string) => void log.push(JSON.parse(line)),
  });
  return openCore(config, logger, { service: 'test' });
}

async function makeClient(
  ownerUrl: string,
  url: string,
  wanted: NewClient = {},
): Promise<ApiClient> {
  const {
    name = randomUUID(),
    mode = 'test',
    scopes = ['payments:write', 'payments:read'],
  } = wanted;
  const { key } = await asOwner(ownerUrl, (db) =>
    createApiKey({ db, random: systemRandom }, { account: name, mode, scopes }),
  );
  return new ApiClient(url, key);
}

async function asOwner<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const options = { url, applicationName: 'test', connectionsMax: 1, onIdleError: () => {} };
  const db = new Db(openPool(options));
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** Puts a clock that tests can move under everything in SQL, column defaults included. */
export async function bendTime(owner: pg.Client): Promise<void> {
  await owner.query(`
    CREATE TABLE test_clock (advance interval NOT NULL);
    INSERT INTO test_clock VALUES ('0');
    GRANT SELECT ON test_clock TO PUBLIC;
    CREATE OR REPLACE FUNCTION payonce_now() RETURNS timestamptz LANGUAGE sql STABLE
      AS $$ SELECT statement_timestamp() + (SELECT advance FROM public.test_clock) $$`);
}

/** Stops the bent clock: from now on only `advance` moves it, however slow the machine is. */
export async function freezeTime(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query<{ now: string }>('SELECT statement_timestamp()::text AS now');
  await owner.query(`
    CREATE OR REPLACE FUNCTION payonce_now() RETURNS timestamptz LANGUAGE sql STABLE
      AS $$ SELECT '${rows[0]?.now}'::timestamptz + (SELECT advance FROM public.test_clock) $$`);
}
