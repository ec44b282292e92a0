import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '#embedded/free-port.js';
import { type PostgresServer, startPostgres } from '#embedded/postgres-server.js';
import { narrate, say } from './say.js';

const FIRST_PAUSE_MS = 500;
const PAUSE_MAX_MS = 30_000;

/** The embedded PostgreSQL server, kept running: when it dies it is started again on the same port. */
export class EmbeddedDatabase {
  #server: PostgresServer | undefined;
  readonly #stopping = new AbortController();
  /** A start that is under way; only when it has ended there is something that can be stopped. */
  #pending: Promise<void> = Promise.resolve();

  constructor(
    private readonly home: string,
    private readonly wantedPort: number,
  ) {}

  /** Returns the owner's address. */
  async start(fresh: boolean): Promise<string> {
    const port = await freePort(this.wantedPort);
    const starting = startPostgres({ folder: this.folder, port, fresh, log: say });
    this.#pending = starting.then(
      (server) => this.#watch(server, port),
      () => {},
    );
    const { ownerUrl } = await narrate('PostgreSQL is starting', starting);
    return ownerUrl;
  }

  get folder(): string {
    return join(this.home, 'postgres');
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#pending;
    const stopped = this.#server?.stop() ?? Promise.resolve();
    await narrate('Waiting for PostgreSQL to write everything down', stopped);
  }

  #watch(server: PostgresServer, port: number): void {
    this.#server = server;
    void server.exited.then(() => this.#died(port));
  }

  #died(port: number): void {
    if (this.#stopping.signal.aborted) return;
    say(`PostgreSQL died; starting it again (its log: ${join(this.folder, 'postgres.log')})`);
    this.#pending = this.#startAgain(port);
  }

  async #startAgain(port: number): Promise<void> {
    for (let tries = 0; !this.#stopping.signal.aborted; tries += 1) {
      try {
        this.#watch(await startPostgres({ folder: this.folder, port, log: say }), port);
        say('PostgreSQL is back');
        return;
      } catch (error) {
        const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** tries, PAUSE_MAX_MS);
        say(`PostgreSQL: ${(error as Error).message}\nTrying again in ${pauseMs / 1000} s`);
        await pause(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      }
    }
  }
}
