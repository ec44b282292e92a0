import { request } from 'node:http';
import pg from 'pg';
import { createApiKey } from '#accounts/manage-api-keys.js';
import { slowestRunMs } from '#payments/lease-arithmetic.js';
import { Db } from '#postgres/db.js';
import { openPool } from '#postgres/pool.js';
import { systemRandom } from '#seams/random.js';
import { type TestDatabase, createTestDatabase } from './database.js';
import { honestBody } from './http.js';
import { MockClient } from './mock-client.js';
import { Processes, type ServiceProcess } from './processes.js';
import { bendTime } from './system.js';

type Options = { webhooksTo?: string; database?: TestDatabase };

/** A database with a bent clock and a card processor; the services around them are the test's to start. */
export class ProcessSystem {
  /** Kept until the system is closed; a test keeps what it kills in a `Processes` of its own. */
  readonly lasting = new Processes();

  private constructor(
    readonly database: TestDatabase,
    /** The owner's connection, to look and to plant. */
    readonly owner: pg.Client,
    readonly accountId: string,
    readonly apiKey: string,
  ) {}

  mockClient = new MockClient('');

  /**
   * `webhooksTo`: where the processor sends its events; nowhere without it. `database`: a migrated one to run on,
   * in place of a fresh clone; it is dropped at the end as well.
   */
  static async start({ webhooksTo = '', database: given }: Options = {}): Promise<ProcessSystem> {
    const database = given ?? (await createTestDatabase());
    const owner = new pg.Client({ connectionString: database.url });
    owner.on('error', () => {});
    await owner.connect();
    await bendTime(owner);
    const apiKey = await makeApiKey(database.url);
    const { rows } = await owner.query<{ id: string }>('SELECT id FROM accounts');
    const system = new ProcessSystem(database, owner, rows[0]?.id ?? '', apiKey);
    const mock = await system.lasting.spawnMock({ MOCK_WEBHOOK_URL: webhooksTo });
    system.mockClient = new MockClient(mock.url);
    return system;
  }

  api(processes: Processes, failpoints = '', env: Record<string, string> = {}) {
    const { appUrl } = this.database;
    const mockUrl = this.mockClient.url;
    return processes.spawnApi({ appUrl, mockUrl, failpoints, env: { ...SETTINGS, ...env } });
  }

  worker(processes: Processes, failpoints = '', env: Record<string, string> = {}) {
    const { appUrl, maintenanceUrl } = this.database;
    const mockUrl = this.mockClient.url;
    const settings = { ...SETTINGS, FAILPOINTS: failpoints, ...env };
    return processes.spawnWorker({ appUrl, maintenanceUrl, mockUrl, env: settings });
  }

  /** Moves the database's clock and the processor's. */
  async advance(ms: number): Promise<void> {
    await this.owner.query(`UPDATE test_clock SET advance = advance + $1 * interval '1 ms'`, [ms]);
    await this.mockClient.advance(ms);
  }

  /** POST /v1/payments to one process, with whatever of the answer came through. */
  pay(
    service: ServiceProcess,
    key: string,
    body: object = {},
    more: { headers?: Record<string, string>; hangUp?: Promise<unknown> } = {},
  ): Promise<Seen> {
    return this.post(
      service,
      { path: '/v1/payments', key, body: { ...honestBody(), ...body } },
      more,
    );
  }

  /** Any POST under a key. */
  post(
    service: ServiceProcess,
    { path, key, body }: { path: string; key: string; body: object },
    more: { headers?: Record<string, string>; hangUp?: Promise<unknown> } = {},
  ): Promise<Seen> {
    const headers = {
      authorization: `Bearer ${this.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': key,
      ...more.headers,
    };
    return sendTo(service.url + path, 'POST', JSON.stringify(body), headers, more.hangUp);
  }

  get(service: ServiceProcess, path: string): Promise<Seen> {
    return sendTo(service.url + path, 'GET', '', { authorization: `Bearer ${this.apiKey}` });
  }

  async close(): Promise<void> {
    await this.lasting.endAll();
    await this.owner.end();
    await this.database.drop();
  }
}

const PROCESSOR_TIMEOUT_MS = 2_000;
/** As short as the check at boot allows; tests move the clock past it. */
export const LEASE_MS = slowestRunMs(PROCESSOR_TIMEOUT_MS) + 1;
const SETTINGS = {
  LEASE_MS: String(LEASE_MS),
  PROCESSOR_TIMEOUT_MS: String(PROCESSOR_TIMEOUT_MS),
};

/** What a client saw of an answer, cut ones included. */
export type Seen = {
  /** Null: the connection broke before a status came. */
  status: number | null;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** Whether the answer came to its end. */
  whole: boolean;
};

function sendTo(
  url: string,
  method: string,
  body: string,
  headers: Record<string, string>,
  hangUp?: Promise<unknown>,
): Promise<Seen> {
  return new Promise((resolve) => {
    const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sending = request(url, { method, agent: false, headers: { ...headers, ...length } });
    sending.on('error', () => resolve({ status: null, headers: {}, text: '', whole: false }));
    sending.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', () => {}); // a cut answer; 'close' follows
      response.on('close', () =>
        resolve({
          status: response.statusCode ?? null,
          headers: response.headers,
          text,
          whole: response.complete,
        }),
      );
    });
    sending.end(body);
    void hangUp?.then(() => sending.destroy());
  });
}

async function makeApiKey(url: string): Promise<string> {
  const options = { url, applicationName: 'test', connectionsMax: 1, onIdleError: () => {} };
  const db = new Db(openPool(options));
  const wanted = {
    account: 'first',
    mode: 'test' as const,
    scopes: ['payments:write' as const, 'payments:read' as const],
  };
  const { key } = await createApiKey({ db, random: systemRandom }, wanted);
  await db.close();
  return key;
}
