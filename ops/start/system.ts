import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { roleUrls } from '#embedded/role-urls.js';
import { takeRun } from '#embedded/run-lock.js';
import { lastRunRecord, writeRunRecord } from '#embedded/run-record.js';
import { migrate } from '#postgres/migrate.js';
import { systemRandom } from '#seams/random.js';
import { EmbeddedDatabase } from './database.js';
import { demoKey, makeDemoKey } from './demo-key.js';
import { untilAnswers, untilListens } from './readiness.js';
import { narrate, say } from './say.js';
import type { StartSettings } from './settings.js';
import { Service } from './service.js';

export interface SystemOptions {
  /** The checkout, and the build inside it whose programs run. */
  root: string;
  build: string;
  /** What this checkout keeps between two starts. */
  home: string;
  env: NodeJS.ProcessEnv;
  settings: StartSettings;
}

/** Every process of one start, brought up in order, at the same time where that is possible. */
export class System {
  readonly apiUrl: string;
  /** Null when another processor is configured. */
  readonly mockUrl: string | null;
  /** Settles with the reason when a service refuses its configuration. */
  readonly refused: Promise<string>;

  /** The API key that a person can try at once; null on a database that is not ours. */
  apiKey: string | null = null;

  readonly #stopping = new AbortController();
  readonly #services: Service[] = [];
  #refuse: (reason: string) => void = () => {};
  #release: () => void = () => {};
  #embedded: EmbeddedDatabase | undefined;
  #ownerUrl = '';

  constructor(private readonly options: SystemOptions) {
    this.apiUrl = options.settings.apiUrl;
    this.mockUrl = options.settings.mockUrl;
    this.refused = new Promise((resolve) => (this.#refuse = resolve));
  }

  /** Resolves when a payment can be taken. */
  async start({ fresh }: { fresh: boolean }): Promise<void> {
    const { home, env } = this.options;
    this.#release = await takeRun(home, systemRandom);
    if (fresh) rmSync(this.#mockFolder, { recursive: true, force: true });
    mkdirSync(this.#mockFolder, { recursive: true, mode: 0o700 });

    if (this.mockUrl) this.#run('mock-processor', this.#mockSettings());
    this.#ownerUrl = env['DATABASE_URL'] || (await this.#startEmbedded(fresh));
    this.#stopping.signal.throwIfAborted();
    const addresses = await narrate(
      'The database schema is being brought up to date',
      this.#migrate(),
    );
    this.#stopping.signal.throwIfAborted();
    if (this.#embedded) {
      this.apiKey = demoKey(this.options.root, env);
      await makeDemoKey(this.#ownerUrl, this.apiKey);
    }
    writeRunRecord(home, {
      pid: process.pid,
      apiUrl: this.apiUrl,
      mockUrl: this.mockUrl,
      databaseUrl: this.#embedded ? this.#ownerUrl : null,
    });
    const settings = { ...addresses, ...this.#serviceSettings() };
    this.#run('payments-api', settings);

    const { signal } = this.#stopping;
    if (this.mockUrl) {
      await narrate('Waiting for mock-processor to listen', untilListens(this.mockUrl, signal));
    }
    const ready = untilAnswers(`${this.apiUrl}/health/ready`, signal);
    await narrate('Waiting for payments-api to be ready', ready);
    // Last: the first payment does not wait for it, and on a small machine it would slow the API's start.
    this.#run('recovery-worker', settings);
  }

  /** Starts the services again, out of a new build and with the schema that it needs. */
  async restartServices(): Promise<void> {
    await this.#migrate();
    await Promise.all(this.#services.map((service) => service.restart()));
  }

  /** Callers of others stop before what they call: API, worker, mock processor, then the database. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const order = ['payments-api', 'recovery-worker', 'mock-processor'];
    for (const name of order) await this.#services.find((service) => service.name === name)?.stop();
    await this.#embedded?.stop();
    this.#release();
  }

  #run(name: string, settings: NodeJS.ProcessEnv): void {
    this.#stopping.signal.throwIfAborted();
    const { root, build, env } = this.options;
    const service = new Service({
      name,
      entry: join(build, 'apps', name, 'src', 'main.js'),
      cwd: root,
      env: { ...env, ...settings },
      onRefusal: (reason) => this.#refuse(reason),
    });
    this.#services.push(service);
    service.start();
  }

  async #startEmbedded(fresh: boolean): Promise<string> {
    const { home } = this.options;
    this.#embedded = new EmbeddedDatabase(home, lastPort(home));
    return this.#embedded.start(fresh);
  }

  /** Brings up the schema and returns the addresses that the services get. */
  async #migrate(): Promise<NodeJS.ProcessEnv> {
    const { env, settings } = this.options;
    const ownerUrl = this.#ownerUrl;
    const derived = roleUrls(ownerUrl);
    const appDatabaseUrl = env['APP_DATABASE_URL'] ?? derived.appUrl;
    const maintenanceDatabaseUrl = env['MAINTENANCE_DATABASE_URL'] ?? derived.maintenanceUrl;
    const urls = { databaseUrl: ownerUrl, appDatabaseUrl, maintenanceDatabaseUrl };
    const { roles } = await migrate({
      ...urls,
      answersDays: settings.answersDays,
      log: say,
    });
    // The owner's address stays here: a service that has roles of its own never sees it.
    if (roles.kind === 'owner_only') return { DATABASE_URL: ownerUrl };
    return {
      DATABASE_URL: undefined,
      APP_DATABASE_URL: appDatabaseUrl,
      MAINTENANCE_DATABASE_URL: maintenanceDatabaseUrl,
    };
  }

  get #mockFolder(): string {
    return join(this.options.home, 'mock');
  }

  #mockSettings(): NodeJS.ProcessEnv {
    const { env, settings } = this.options;
    return {
      MOCK_PORT: String(settings.mockPort),
      MOCK_BOOK: join(this.#mockFolder, 'book.jsonl'),
      MOCK_WEBHOOK_URL: env['MOCK_WEBHOOK_URL'] || `${this.apiUrl}/webhooks/stripe`,
    };
  }

  #serviceSettings(): NodeJS.ProcessEnv {
    const { apiPort, mockPort } = this.options.settings;
    const ports = { PORT: String(apiPort), MOCK_PORT: String(mockPort) };
    return this.mockUrl ? { ...ports, STRIPE_API_BASE: this.mockUrl } : ports;
  }
}

/** The embedded database keeps its port if it can, so that an address noted down stays good. */
function lastPort(home: string): number {
  const url = lastRunRecord(home)?.databaseUrl;
  return url ? Number(new URL(url).port) : 0;
}
