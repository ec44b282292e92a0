import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiKey } from '#accounts/manage-api-keys.js';
import { payonceHome } from '#embedded/home.js';
import { roleUrls } from '#embedded/role-urls.js';
import { slowestRunMs } from '#payments/lease-arithmetic.js';
import type { Db } from '#postgres/db.js';
import { migrate } from '#postgres/migrate.js';
import { systemRandom } from '#seams/random.js';
import { onDatabase } from '../on-database.js';
import { Balancer } from './balancer.js';
import { type Account, RecordedClient } from './client.js';
import { CrashingPostgres } from './crashing-postgres.js';
import { DatabaseProxy } from './database-proxy.js';
import { History } from './history.js';
import { Journal } from './journal.js';
import { Owner } from './owner.js';
import { Processor } from './processor.js';
import * as sql from './prove.sql.js';
import { Replica, type ReplicaKind } from './replica.js';
import { Service } from './service.js';
import { Victim } from './victim.js';

const PROCESSOR_TIMEOUT_MS = 2_000;
/** As short as the check at boot allows; the clock is moved past it. */
export const LEASE_MS = slowestRunMs(PROCESSOR_TIMEOUT_MS) + 1;

export type WorldOptions = {
  /** Gets the books as they are written, the nemesis's diary and the services' logs. */
  folder: string;
  apis: number;
  workers: number;
  env?: Record<string, string>;
  say: (line: string) => void;
  stopping: AbortSignal;
};

/** The whole system in real processes, started for a run and thrown away: what is proved is proved on this. */
export class World {
  readonly replicas: Replica[] = [];
  /** Whose clients write down what they do. */
  readonly accounts: Account[] = [];
  /** Whose clients do not, and who are of the other mode: nothing that they do can be about one of `accounts`. */
  readonly strangers: Account[] = [];
  readonly history: History;
  readonly journal: Journal;
  /** What the next process of that kind is started with; a phase sets it. */
  arm: (kind: ReplicaKind) => string = () => '';
  onStopped: (replica: Replica) => void = (replica) => replica.signal('SIGCONT');
  #turn = 0;
  readonly #made = { api: 0, worker: 0 };
  readonly #toClose: (() => unknown)[] = [];
  readonly #clients: RecordedClient[] = [];
  #eventsTo: { url: string } | null = null;
  #balancer: Balancer | undefined;
  #processor: Processor | undefined;
  #postgres: CrashingPostgres | undefined;
  #owner: Owner | undefined;

  private constructor(private readonly options: WorldOptions) {
    mkdirSync(options.folder, { recursive: true });
    this.history = new History(options.folder);
    this.journal = new Journal(options.folder);
    this.#toClose.push(
      () => this.history.close(),
      () => this.journal.close(),
    );
  }

  static async open(options: WorldOptions): Promise<World> {
    const world = new World(options);
    try {
      await world.#open();
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  get processor(): Processor {
    return there(this.#processor);
  }

  get postgres(): CrashingPostgres {
    return there(this.#postgres);
  }

  /** The owner's connection, past all proxies: to look, and to move the clock. */
  get owner(): Owner {
    return there(this.#owner);
  }

  get folder(): string {
    return this.options.folder;
  }

  /** Aborts when nobody wants the rest any more. */
  get stopping(): AbortSignal {
    return this.options.stopping;
  }

  get apis(): Replica[] {
    return this.replicas.filter(({ kind }) => kind === 'api');
  }

  get workers(): Replica[] {
    return this.replicas.filter(({ kind }) => kind === 'worker');
  }

  /** The API whose turn it is; it may be dead. */
  nextApi(): Replica {
    const { apis } = this;
    this.#turn = (this.#turn + 1) % apis.length;
    return there(apis[this.#turn]);
  }

  /** The one that gets the processor's events from now on; with null each in its turn. */
  sendEventsTo(api: { url: string } | null): void {
    this.#eventsTo = api;
    this.#balancer?.passAnew();
  }

  client(name: string): RecordedClient {
    const { stopping } = this.options;
    const targets = { history: this.history, nextApi: () => this.nextApi(), stopping };
    const client = new RecordedClient(name, targets);
    this.#clients.push(client);
    return client;
  }

  /** Moves both clocks; the processor's first, so that what it did is never younger there than it seems here. */
  async advance(ms: number): Promise<void> {
    await this.processor.advance(ms);
    await this.owner.run(sql.ADVANCE, [ms]);
    this.journal.advanced(ms);
  }

  /** One more process, beside the others. */
  async add(kind: ReplicaKind): Promise<Replica> {
    const count = (this.#made[kind] += 1);
    const proxy = await DatabaseProxy.start(this.postgres.port);
    const { appUrl, maintenanceUrl } = roleUrls(this.postgres.ownerUrl);
    const replica = new Replica({
      name: `${kind}-${count}`,
      kind,
      proxy,
      env: this.#envOf(proxy.through(appUrl), proxy.through(maintenanceUrl)),
      journal: this.journal,
      arm: (of) => this.arm(of),
      onStopped: (stopped) => this.onStopped(stopped),
    });
    this.replicas.push(replica);
    await replica.start();
    return replica;
  }

  /** A process that is there to die, past all proxies: nobody is sent to it who does not ask for it. */
  async addVictim(kind: ReplicaKind, failpoints: string): Promise<Victim> {
    const env = { ...this.jobEnvironment(), FAILPOINTS: failpoints };
    return Victim.start(kind, {
      env,
      journal: this.journal,
      name: `${kind}-${(this.#made[kind] += 1)}`,
    });
  }

  /** What a job is started with that does its work and ends: it goes past all proxies. */
  jobEnvironment(): Record<string, string> {
    const { appUrl, maintenanceUrl } = roleUrls(this.postgres.ownerUrl);
    return this.#envOf(appUrl, maintenanceUrl);
  }

  #envOf(appUrl: string, maintenanceUrl: string): Record<string, string> {
    return {
      ...SETTINGS,
      ...this.options.env,
      PORT: '0',
      APP_DATABASE_URL: appUrl,
      MAINTENANCE_DATABASE_URL: maintenanceUrl,
      STRIPE_API_BASE: this.processor.url,
    };
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await Promise.all(this.replicas.map((replica) => replica.close()));
    for (const close of this.#toClose.reverse()) await close();
    this.#toClose.length = 0;
  }

  async #open(): Promise<void> {
    const { say, apis, workers } = this.options;
    process.env['PAYONCE_HOME'] = mkdtempSync(join(tmpdir(), 'payonce-prove-'));
    const home = payonceHome();
    this.#toClose.push(() => rmSync(home, { recursive: true, force: true }));
    const postgres = await CrashingPostgres.start(join(home, 'postgres'), say);
    this.#postgres = postgres;
    this.#toClose.push(() => postgres.stop());
    this.stopping.throwIfAborted();
    await onDatabase(postgres.ownerUrl, 'prove', (db) => this.#prepare(db));
    const owner = new Owner(postgres.ownerUrl);
    this.#owner = owner;
    this.#toClose.push(() => owner.close());
    const balancer = await Balancer.start(() => (this.#eventsTo ?? this.nextApi()).url);
    this.#balancer = balancer;
    this.#toClose.push(() => balancer.close());
    await this.#startMock(join(home, 'book.jsonl'), balancer.url);
    this.stopping.throwIfAborted();
    say(`Starting ${counted(apis, 'API')} and ${counted(workers, 'worker')}`);
    const kinds = [...Array(apis).fill('api'), ...Array(workers).fill('worker')] as ReplicaKind[];
    await Promise.all(kinds.map((kind) => this.add(kind)));
  }

  async #prepare(db: Db): Promise<void> {
    const { ownerUrl } = this.postgres;
    const { appUrl, maintenanceUrl } = roleUrls(ownerUrl);
    const urls = { appDatabaseUrl: appUrl, maintenanceDatabaseUrl: maintenanceUrl };
    await migrate({ databaseUrl: ownerUrl, ...urls });
    for (const one of sql.BEND_TIME) await db.run(one, []);
    for (const name of ['one', 'two']) this.accounts.push(await newAccount(db, name, 'test'));
    for (const name of ['three', 'four']) this.strangers.push(await newAccount(db, name, 'live'));
    const [durable] = await db.run(sql.READ_DURABILITY, []);
    if (Object.values(durable ?? {}).some((value) => value !== 'on'))
      throw new Error(
        `This PostgreSQL would lose what it acknowledged: ${JSON.stringify(durable)}`,
      );
  }

  async #startMock(book: string, webhooksTo: string): Promise<void> {
    const env = { MOCK_PORT: '0', MOCK_BOOK: book, MOCK_WEBHOOK_URL: webhooksTo };
    const mock = new Service('mock-processor', env, (line) => this.journal.log('processor', line));
    this.#toClose.push(async () => {
      mock.signal('SIGKILL');
      await mock.exit;
    });
    const line = await mock.said('mock_listening');
    if (!line) throw new Error(`The mock processor did not start:\n${mock.lastWords}`);
    this.#processor = new Processor(`http://127.0.0.1:${String(line['port'])}`);
  }
}

async function newAccount(db: Db, account: string, mode: 'test' | 'live'): Promise<Account> {
  const made = await createApiKey({ db, random: systemRandom }, { account, mode, scopes: SCOPES });
  const [row] = await db.run(sql.READ_ACCOUNT, [account]);
  return { id: there(row).id, apiKey: made.key };
}

const SCOPES = ['payments:write', 'payments:read'] as const;
const SETTINGS = {
  PROCESSOR_TIMEOUT_MS: String(PROCESSOR_TIMEOUT_MS),
  LEASE_MS: String(LEASE_MS),
  VISIBILITY_WINDOW_MS: '1500',
  // Nobody answers a review here: what is unknown has to be settled by recovery alone.
  RECOVERY_TRIES_MAX: '100',
  ACCOUNT_IN_FLIGHT_MAX: '1000',
  ACCOUNT_NEW_KEYS_PER_MINUTE: '1000000',
  LOG_LEVEL: 'info',
};

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function there<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The world is not open yet');
  return value;
}
