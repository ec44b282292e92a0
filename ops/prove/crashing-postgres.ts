import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { type PostgresServer, startPostgres } from '#embedded/postgres-server.js';

/** `immediate` is what `pg_ctl stop -m immediate` sends; `kill` is SIGKILL to the server's first process. */
export type Crash = 'immediate' | 'kill';

/** A durable PostgreSQL of this run's own, on one port for as long as it lives, that can be crashed. */
export class CrashingPostgres {
  #isCrashing = false;

  private constructor(
    private server: PostgresServer,
    private readonly log: (line: string) => void,
  ) {}

  static async start(folder: string, log: (line: string) => void): Promise<CrashingPostgres> {
    return new CrashingPostgres(await startPostgres({ folder, log }), log);
  }

  get ownerUrl(): string {
    return this.server.ownerUrl;
  }

  get port(): number {
    return this.server.port;
  }

  /** One at a time: whoever comes second may wait, or do something else. */
  get isCrashing(): boolean {
    return this.#isCrashing;
  }

  /** Ends it without a word to anybody, waits a little, starts it again; returns how long it was away. */
  async crash(how: Crash, awayMs: number): Promise<number> {
    this.#isCrashing = true;
    const beganMs = performance.now();
    try {
      process.kill(this.server.pid, how === 'kill' ? 'SIGKILL' : 'SIGQUIT');
      await this.server.exited;
      await pause(awayMs);
      await this.#startAgain();
      return performance.now() - beganMs;
    } finally {
      this.#isCrashing = false;
    }
  }

  /** Ends it without a word to anybody, lets somebody change what is in its folder, and starts it on that. */
  async changed(change: (folder: string) => Promise<void>): Promise<void> {
    this.#isCrashing = true;
    try {
      process.kill(this.server.pid, 'SIGQUIT');
      await this.server.exited;
      await change(this.server.folder);
      await this.#startAgain();
    } finally {
      this.#isCrashing = false;
    }
  }

  get folder(): string {
    return this.server.folder;
  }

  /** Kills one session's process: the server then ends all others and recovers. False if there was none. */
  killBackend(): boolean {
    const backend = childrenOf(this.server.pid).find(({ title }) => / payonce_app /.test(title));
    return backend !== undefined && send(backend.pid, 'SIGKILL');
  }

  /** Stops every process of the server and lets them go on later: nothing answers, nothing is refused. */
  async freeze(forMs: number): Promise<void> {
    this.#isCrashing = true;
    const all = [this.server.pid, ...childrenOf(this.server.pid).map(({ pid }) => pid)];
    for (const pid of all) send(pid, 'SIGSTOP');
    await pause(forMs);
    for (const pid of all) send(pid, 'SIGCONT');
    this.#isCrashing = false;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  /** Sessions of a killed server leave one by one, and it does not start beside them. */
  async #startAgain(): Promise<void> {
    const { folder, port } = this.server;
    for (let tries = 1; ; tries++) {
      try {
        this.server = await startPostgres({ folder, port, log: this.log });
        return;
      } catch (error) {
        if (tries === START_TRIES_MAX) throw error;
        await pause(100);
      }
    }
  }
}

const START_TRIES_MAX = 100;

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // it ended in this instant
  }
}

function childrenOf(parent: number): { pid: number; title: string }[] {
  const listed = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return [...listed.matchAll(/^ *(\d+) +(\d+) +(.*)$/gm)]
    .filter(([, , ppid]) => Number(ppid) === parent)
    .map(([, pid, , title = '']) => ({ pid: Number(pid), title }));
}
