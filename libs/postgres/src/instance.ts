import pg from 'pg';
import { type OnConnect, Tx } from './db.js';
import type { Clock } from '#seams/clock.js';
import type { Random } from '#seams/random.js';

/** The first half of the advisory lock's number; the second is the instance's own. */
export const INSTANCE_LOCKS = 72_618;
const RETRY_MS = 200;
const CONNECT_MS = 5_000;

export type InstanceOptions = {
  /** A connection that bypasses any pooler: the lock must live and die with this process. */
  url: string;
  applicationName: string;
  clock: Clock;
  random: Random;
  /** Behind a pooler the only one who sees that the server is another; until it is done we are not registered. */
  onConnect: OnConnect;
  onChange: (event: 'registered' | 'lost', facts: Record<string, unknown>) => void;
};

/**
 * This process, as others can see it: one idle session of its own that holds one advisory lock. When the
 * process dies, however it dies, the lock is gone within moments, and its leases may be taken over before
 * they end. A lost session proves nothing about what was sent, so it is never read as "not sent".
 */
export class Instance {
  /** Stays the same over a reconnect, so that a restart of the database does not make strangers of us. */
  readonly id: number;
  #client: pg.Client | null = null;
  readonly #waiting = new Set<() => void>();
  readonly #stopping = new AbortController();

  private constructor(private readonly options: InstanceOptions) {
    this.id = options.random.bytes(4).readUInt32BE() >>> 1;
  }

  /** Registers before it returns; rejects if the database cannot be reached. */
  static async register(options: InstanceOptions): Promise<Instance> {
    const instance = new Instance(options);
    await instance.#connect();
    return instance;
  }

  /** Whether others see us alive. Without that nothing is sent: somebody may be taking our work over. */
  get isRegistered(): boolean {
    return this.#client !== null;
  }

  /** Waits so long for a lost registration to come back; says whether it has. */
  async registered(withinMs: number): Promise<boolean> {
    if (this.isRegistered) return true;
    const over = new AbortController();
    const back = new Promise<void>((resolve) => this.#waiting.add(resolve));
    await Promise.race([back, this.options.clock.sleep(withinMs, over.signal)]);
    over.abort();
    return this.isRegistered;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    const client = this.#client;
    this.#client = null;
    await client?.end();
  }

  async #connect(): Promise<void> {
    const { url, applicationName } = this.options;
    const client = new pg.Client({
      connectionString: url,
      application_name: `${applicationName} instance`,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
    });
    client.on('error', () => {}); // `end` follows, and is what counts
    try {
      await client.connect();
      await client.query('SET idle_session_timeout = 0');
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1, $2) AS ours', [
        INSTANCE_LOCKS,
        this.id,
      ]);
      if (!rows[0]?.ours) throw new Error('The session before this one still holds the lock');
      await this.options.onConnect(new Tx(client, () => {}));
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    client.once('end', () => this.#lost(client));
    this.#client = client;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
    this.options.onChange('registered', { instance: this.id });
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.options.onChange('lost', { instance: this.id });
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && !this.isRegistered) {
      await this.#connect().catch(() => this.options.clock.sleep(RETRY_MS, signal));
    }
    if (signal.aborted) await this.close();
  }
}
