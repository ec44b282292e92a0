import { openPool } from '#postgres/pool.js';
import { NO_LIMITS, OWN_PID, begin } from './stage.sql.js';

type Pool = ReturnType<typeof openPool>;
type Result = { rows: unknown[] };
export type Query = { name?: string; text: string; values?: unknown[] };
/** What is needed of the driver's client. */
export type Client = {
  query(query: Query | string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  release(destroy?: boolean): void;
};

/** One session of the server. Whoever holds it may have a transaction open on it. */
export class Session {
  constructor(
    readonly pid: number,
    private readonly client: Client,
  ) {}

  async query(query: Query): Promise<Result> {
    return this.client.query(query);
  }

  /** Opens a transaction whose random identifiers follow from `stream`. */
  async begin(stream: string): Promise<void> {
    await this.client.query(begin(stream));
  }

  destroy(): void {
    this.client.release(true);
  }
}

/**
 * The sessions of all simulated processes, kept over the schedules: what a session has prepared is prepared.
 * Their limits are switched off, since those go by the wall clock, which decides nothing here.
 */
export class Sessions {
  readonly #pool: Pool;
  readonly #idle: Session[] = [];
  readonly #all = new Map<number, Session>();

  constructor(
    url: string,
    private readonly onCancel: (pid: number) => Promise<void>,
  ) {
    this.#pool = openPool({
      url,
      applicationName: 'simulate',
      connectionsMax: 150,
      onIdleError: () => {},
    });
    Object.assign(this.#pool.options, {
      query_timeout: 0,
      statement_timeout: 0,
      lock_timeout: 0,
      idle_in_transaction_session_timeout: 0,
      connectionTimeoutMillis: 0,
    });
  }

  async take(): Promise<Session> {
    return this.#idle.pop() ?? this.#open();
  }

  give(session: Session): void {
    this.#idle.push(session);
  }

  has(pid: number): boolean {
    return this.#all.has(pid);
  }

  /** Ends a statement that waits for a lock, as the end of its session would. */
  cancel({ pid }: Session): Promise<void> {
    return this.onCancel(pid);
  }

  async close(): Promise<void> {
    for (const session of this.#all.values()) session.destroy();
    await this.#pool.end();
  }

  async #open(): Promise<Session> {
    const opened = await this.#pool.connect();
    opened.on('error', () => {});
    const client: Client = opened;
    await client.query(NO_LIMITS);
    const { rows } = await client.query(OWN_PID);
    const session = new Session(Number(rows[0]?.['pid']), client);
    this.#all.set(session.pid, session);
    return session;
  }
}
