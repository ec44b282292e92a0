import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * The services as real operating-system processes of the demonstration build, so that a kill is a real
 * kill. Whatever was spawned here ends with `endAll`, and with this process, however that one ends.
 */
export class Processes {
  readonly #spawned: ServiceProcess[] = [];
  readonly #folders: string[] = [];

  /** The API on a free port. `failpoints` as in `FAILPOINTS`, for example `c6:1:kill`. */
  async spawnApi({ appUrl, mockUrl, failpoints, env = {} }: ApiOptions): Promise<ServiceProcess> {
    const service = this.#spawn('payments-api', {
      APP_DATABASE_URL: appUrl,
      STRIPE_API_BASE: mockUrl,
      PORT: '0',
      FAILPOINTS: failpoints ?? '',
      ...env,
    });
    const { port } = await service.untilSays('listening');
    service.url = `http://127.0.0.1:${String(port)}`;
    return service;
  }

  async spawnWorker({ appUrl, maintenanceUrl, mockUrl, env = {} }: WorkerOptions) {
    const service = this.#spawn('recovery-worker', {
      APP_DATABASE_URL: appUrl,
      MAINTENANCE_DATABASE_URL: maintenanceUrl,
      STRIPE_API_BASE: mockUrl,
      ...env,
    });
    await service.untilSays('sweeping');
    return service;
  }

  /** The card processor on a free port, with a book file that it alone uses. */
  async spawnMock(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'payonce-book-'));
    this.#folders.push(folder);
    const service = this.#spawn('mock-processor', {
      MOCK_PORT: '0',
      MOCK_BOOK: join(folder, 'book.jsonl'),
      ...env,
    });
    const { port } = await service.untilSays('mock_listening');
    service.url = `http://127.0.0.1:${String(port)}`;
    return service;
  }

  /** One reconciliation of a day, which prints its result as JSON and ends. */
  spawnReconciliation({ appUrl, mockUrl, failpoints, date }: ReconciliationOptions) {
    const env = { APP_DATABASE_URL: appUrl, STRIPE_API_BASE: mockUrl, LOG_LEVEL: '' };
    const args = ['--processor', 'mock', '--date', date, '--json'];
    return this.#spawn('reconciliation', { ...env, FAILPOINTS: failpoints ?? '' }, args);
  }

  /** Kills what is still running, stopped processes included, and waits until it is gone. */
  async endAll(): Promise<void> {
    for (const service of this.#spawned) service.kill('SIGKILL');
    await Promise.all(this.#spawned.map((service) => service.exit));
    this.#spawned.length = 0;
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
    this.#folders.length = 0;
  }

  #spawn(app: string, env: Record<string, string>, args: string[] = []): ServiceProcess {
    buildOnce();
    const child = spawn(process.execPath, [`dist-demo/apps/${app}/src/main.js`, ...args], {
      cwd: ROOT,
      // Only what a service is told: nothing of this run's own environment.
      env: { PATH: process.env['PATH'], LOG_LEVEL: 'debug', PAYONCE_PARENT_PIPE: '1', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const service = new ServiceProcess(app, child);
    this.#spawned.push(service);
    return service;
  }
}

export type ApiOptions = {
  appUrl: string;
  mockUrl: string;
  failpoints?: string;
  env?: Record<string, string>;
};
export type WorkerOptions = {
  appUrl: string;
  maintenanceUrl: string;
  mockUrl: string;
  env?: Record<string, string>;
};

export type ReconciliationOptions = {
  appUrl: string;
  mockUrl: string;
  failpoints?: string;
  /** A day, as 2026-01-31. */
  date: string;
};

export type LogLine = { level: string; event: string; [fact: string]: unknown };
export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export class ServiceProcess {
  /** Where it listens, if it does. */
  url = '';
  readonly pid: number;
  /** Every line of its log so far. */
  readonly logLines: LogLine[] = [];
  readonly exit: Promise<Exit>;
  #errors = '';
  readonly #listeners = new Set<() => void>();

  constructor(
    readonly name: string,
    private readonly child: ChildProcess,
  ) {
    if (child.pid === undefined || !child.stdout) throw new Error(`${name} could not be spawned`);
    this.pid = child.pid;
    child.stdin?.on('error', () => {}); // it may die first
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
    createInterface({ input: child.stdout }).on('line', (line) => this.#read(line));
    this.exit = new Promise((resolve) =>
      child.once('close', (code, signal) => {
        resolve({ code, signal });
        for (const look of this.#listeners) look();
      }),
    );
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** The first log line of this event, also if it was said before. */
  untilSays(event: string): Promise<LogLine> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(timer);
        this.#listeners.delete(look);
        settle();
      };
      const fail = (why: string) =>
        done(() => reject(new Error(`${this.name} ${why} "${event}"\n${this.#told()}`)));
      const look = () => {
        const line = this.logLines.find((candidate) => candidate.event === event);
        if (line) return done(() => resolve(line));
        if (this.child.exitCode !== null || this.child.signalCode !== null) fail('ended before');
      };
      const timer = setTimeout(() => fail(`took ${PATIENCE_MS} ms before`), PATIENCE_MS);
      this.#listeners.add(look);
      look();
    });
  }

  /** Waits until a SIGSTOP has taken hold. */
  async untilStopped(): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    while (performance.now() < until) {
      const state = execFileSync('ps', ['-o', 'stat=', '-p', String(this.pid)], {
        encoding: 'utf8',
      });
      if (state.startsWith('T')) return;
      await pause(20);
    }
    throw new Error(`${this.name} was not stopped within ${PATIENCE_MS} ms\n${this.#told()}`);
  }

  #read(line: string): void {
    try {
      this.logLines.push(JSON.parse(line) as LogLine);
    } catch {
      this.logLines.push({ level: 'error', event: 'not_json', line });
    }
    for (const look of this.#listeners) look();
  }

  #told(): string {
    const lines = this.logLines.slice(-20).map((line) => JSON.stringify(line));
    return [...lines, this.#errors].join('\n');
  }
}

const ROOT = join(import.meta.dirname, '../../..');
const PATIENCE_MS = 90_000;
let built = false;

/** Once in each test file that spawns; a build of unchanged sources is a matter of milliseconds. */
function buildOnce(): void {
  if (built) return;
  execFileSync(process.execPath, ['ops/build.mjs'], { cwd: ROOT, stdio: ['ignore', 'ignore', 2] });
  built = true;
}
