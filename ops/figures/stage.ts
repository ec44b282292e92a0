import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort } from '#embedded/free-port.js';
import { checkoutRoot, payonceHome } from '#embedded/home.js';
import { type PostgresServer, startPostgres } from '#embedded/postgres-server.js';
import { roleUrls } from '#embedded/role-urls.js';
import { readConfig } from '#platform/config.js';
import { type Core, openCore } from '#platform/core.js';
import { openLogger } from '#platform/logging.js';
import { migrate } from '#postgres/migrate.js';
import { demoKey, makeDemoKey } from '../start/demo-key.js';
import { untilAnswers, untilListens } from '../start/readiness.js';
import { progress } from './progress.js';
import type { Command } from './watched.js';

/**
 * A database of its own and the services around it, each started and ended by itself: what a figure wants
 * still does not run, and what it wants dead is killed. Nothing is started again.
 */
export class Stage {
  readonly apiKey = demoKey(checkoutRoot(), {});
  readonly #children = new Set<Child>();

  private constructor(
    readonly home: string,
    private readonly postgres: PostgresServer,
    private readonly ports: { api: number; mock: number },
  ) {}

  static async open(): Promise<Stage> {
    process.env['PAYONCE_HOME'] = mkdtempSync(join(tmpdir(), 'payonce-figures-'));
    const home = payonceHome();
    try {
      const postgres = await startPostgres({ folder: join(home, 'postgres'), log: progress });
      const ports = { api: await freePort(), mock: await freePort() };
      return await new Stage(home, postgres, ports).#prepared();
    } catch (error) {
      rmSync(home, { recursive: true, force: true });
      throw error;
    }
  }

  async #prepared(): Promise<Stage> {
    const { appUrl, maintenanceUrl } = roleUrls(this.ownerUrl);
    try {
      await migrate({
        databaseUrl: this.ownerUrl,
        appDatabaseUrl: appUrl,
        maintenanceDatabaseUrl: maintenanceUrl,
        log: progress,
      });
      await makeDemoKey(this.ownerUrl, this.apiKey);
      await this.#startMock();
      return this;
    } catch (error) {
      await this.close(); // Ctrl-C in a terminal ends the mock under us
      throw error;
    }
  }

  get ownerUrl(): string {
    return this.postgres.ownerUrl;
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${this.ports.api}`;
  }

  get mockUrl(): string {
    return `http://127.0.0.1:${this.ports.mock}`;
  }

  /** Resolves when it can take a payment. */
  async startApi(): Promise<Child> {
    const api = this.#spawn('payments-api', { PORT: String(this.ports.api) });
    await untilAnswers(`${this.apiUrl}/health/ready`, api.ended);
    return api;
  }

  /** Resolves at once; its instance shows when it is there. */
  startWorker(): Child {
    return this.#spawn('recovery-worker', {});
  }

  /** One of our commands, as a process of its own. */
  command(name: string, args: string[]): Command {
    const entry = pathToFileURL(join(BUILD, 'ops', `${name}.js`)).href;
    const run = `import { main } from '${entry}'; await main(process.argv.slice(1))`;
    const settings = { DATABASE_URL: this.ownerUrl, ...this.#settings() };
    return {
      program: process.execPath,
      args: ['--enable-source-maps', '--input-type=module', '--eval', run, '--', ...args],
      env: { PATH: process.env['PATH'] ?? '', PAYONCE_HOME: this.home, ...settings },
      cwd: checkoutRoot(),
    };
  }

  /** What the services work with, in this process: for what is measured below HTTP. */
  openCore(): Promise<Core> {
    const settings = Object.entries(this.#settings()).filter(([, value]) => value !== '');
    const config = readConfig(Object.fromEntries(settings));
    const silent = openLogger('figures', 'critical', { write: () => {} });
    return openCore(config, silent, { service: 'figures' });
  }

  async close(): Promise<void> {
    for (const child of this.#children) await child.end('SIGTERM');
    await this.postgres.stop();
    rmSync(this.home, { recursive: true, force: true });
  }

  async #startMock(): Promise<void> {
    const mock = this.#spawn('mock-processor', {
      MOCK_PORT: String(this.ports.mock),
      MOCK_BOOK: join(this.home, 'book.jsonl'),
      MOCK_WEBHOOK_URL: `${this.apiUrl}/webhooks/stripe`,
    });
    await untilListens(this.mockUrl, mock.ended);
  }

  #settings(): Record<string, string> {
    const { appUrl, maintenanceUrl } = roleUrls(this.ownerUrl);
    return {
      APP_DATABASE_URL: appUrl,
      MAINTENANCE_DATABASE_URL: maintenanceUrl,
      STRIPE_API_BASE: this.mockUrl,
      LOG_LEVEL: 'warning',
      ACCOUNT_IN_FLIGHT_MAX: '10000',
      ACCOUNT_NEW_KEYS_PER_MINUTE: '10000000',
    };
  }

  #spawn(name: string, more: Record<string, string>): Child {
    const child = new Child(name, { ...this.#settings(), ...more });
    this.#children.add(child);
    return child;
  }
}

const BUILD = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const LAST_WORDS_MAX = 4_000;

/** One service as a process of its own. It ends with us, however we end. */
export class Child {
  readonly #process: ChildProcess;
  readonly #ending = new AbortController();
  readonly #exit: Promise<void>;
  #lastWords = '';

  constructor(name: string, env: Record<string, string>) {
    const entry = join(BUILD, 'apps', name, 'src', 'main.js');
    this.#process = spawn(process.execPath, ['--enable-source-maps', entry], {
      cwd: checkoutRoot(),
      env: { PATH: process.env['PATH'], PAYONCE_PARENT_PIPE: '1', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const listen = (text: string) =>
      (this.#lastWords = (this.#lastWords + text).slice(-LAST_WORDS_MAX));
    this.#process.stdout?.setEncoding('utf8').on('data', listen);
    this.#process.stderr?.setEncoding('utf8').on('data', listen);
    this.#process.stdin?.on('error', () => {}); // it may die first
    this.#exit = new Promise((resolve) =>
      this.#process.once('close', (code, signal) => {
        this.#ending.abort(
          new Error(`${name} ended (${signal ?? `exit ${code}`}):\n${this.#lastWords}`),
        );
        resolve();
      }),
    );
  }

  /** Aborts with its last words when it ends. */
  get ended(): AbortSignal {
    return this.#ending.signal;
  }

  /** Resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void> {
    this.#process.kill(signal);
    return this.#exit;
  }
}
