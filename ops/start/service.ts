import { type ChildProcess, spawn } from 'node:child_process';
import { EXIT_CONFIG } from '#platform/config.js';
import { passOn } from './log-lines.js';
import { narrate, say } from './say.js';

export interface ServiceOptions {
  name: string;
  /** The built file that runs. */
  entry: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Called once when the service cannot run with this configuration. */
  onRefusal: (reason: string) => void;
}

const FIRST_PAUSE_MS = 500;
const PAUSE_MAX_MS = 30_000;
/** Whoever ran this long was well: its next death starts with the short pause again. */
const HEALTHY_AFTER_MS = 60_000;
const STOP_WITHIN_MS = 20_000;

/** A child process that is kept running: named when it dies, and started again with a growing pause. */
export class Service {
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #again: NodeJS.Timeout | undefined;
  #deaths = 0;
  #wanted = false;

  constructor(private readonly options: ServiceOptions) {}

  get name(): string {
    return this.options.name;
  }

  start(): void {
    this.#wanted = true;
    const { entry, cwd, env } = this.options;
    const startedMs = performance.now();
    const child = spawn(process.execPath, ['--enable-source-maps', entry], {
      cwd,
      // The pipe on its standard input closes when we die, however: then the service ends itself.
      env: { ...env, PAYONCE_PARENT_PIPE: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A session of its own: Ctrl-C reaches us alone, and we stop everything in order.
      detached: true,
    });
    this.#child = child;
    child.stdin.on('error', () => {});
    passOn(child.stdout, process.stdout, this.name);
    passOn(child.stderr, process.stderr, this.name);
    this.#ended = new Promise((resolve) => {
      child.once('error', (error) => {
        resolve();
        this.#died(error.message, startedMs);
      });
      child.once('exit', (code, signal) => {
        resolve();
        if (code === EXIT_CONFIG && this.#wanted) this.#refused();
        else this.#died(signal ? `signal ${signal}` : `exit ${code}`, startedMs);
      });
    });
  }

  /** Asks it to finish what it is doing and waits until it has ended. */
  async stop(): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#again);
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
    await narrate(`Waiting for ${this.name} to finish what it is doing`, this.#ended);
    clearTimeout(kill);
  }

  async restart(): Promise<void> {
    await this.stop();
    this.#deaths = 0;
    this.start();
  }

  #died(how: string, startedMs: number): void {
    if (!this.#wanted) return;
    this.#deaths = performance.now() - startedMs > HEALTHY_AFTER_MS ? 1 : this.#deaths + 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (this.#deaths - 1), PAUSE_MAX_MS);
    say(`${this.name} died (${how}); starting it again in ${pauseMs / 1000} s`);
    this.#again = setTimeout(() => this.start(), pauseMs);
  }

  #refused(): void {
    this.#wanted = false;
    this.options.onRefusal(
      `${this.name} refuses its configuration (exit ${EXIT_CONFIG}); its lines above say which setting.`,
    );
  }
}
