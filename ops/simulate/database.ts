import { createHash } from 'node:crypto';
import { Db } from '#postgres/db.js';
import { SESSION_LIMITS } from '#postgres/pool.js';
import type { Scheduler } from './scheduler.js';
import type { Task } from './step.js';
import type { Query, Session, Sessions } from './sessions.js';

/**
 * One transaction. A statement that commits by itself is cut in two, the statement and its commit, so that others
 * can come in between and each can be lost alone.
 */
type Unit = {
  task: Task;
  session: Session;
  /** Opened by the product. The server ends it with its client; a lone statement it carries through. */
  isExplicit: boolean;
  begunMs: number;
  /** Tells it apart from others of its task. */
  key: string;
  /** What the session is doing. */
  running: Promise<unknown>;
  /** A statement of it is at the server. */
  isRunning: boolean;
  /** The server has ended it in the meantime. */
  ended: 'committed' | 'undone' | null;
};

/** What becomes of lone statements whose process dies: the server may have them, or not, or be slow. */
export const CRASH_ENDS = ['undone', 'committed', 'committed late'] as const;
/** Statements that change nothing once somebody else holds the lease. */
const UNDER_A_LEASE = new Set(
  ['record', 'record_step', 'record_refund', 'leave_unknown', 'release'].map(
    (name) => `payments.${name}`,
  ),
);
type Rows = { rows: unknown[] };
/** What makes identifiers, which follow from the transaction's name. */
const DRAWS =
  /payonce_uuid_v7|INTO (ledger_entries|outbox_events|breaks|disputes|refunds|audit_log)\b/;
const WRITES = /\b(INSERT|UPDATE|DELETE)\b/;

/** PostgreSQL as the simulated processes see it: every statement and every commit is a step. */
export class SimulatedDatabase {
  readonly #units = new Set<Unit>();
  /** Processes that cannot connect now. */
  readonly cutOff = new Set<string>();
  /** Nothing goes wrong any more: what need not be cut in two is not. */
  isCalm = false;
  /** Ends transactions whose process is gone. */
  readonly #server: Task;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly sessions: Sessions,
    private readonly seed: string,
    private readonly onStatement: (task: Task, name: string, end: string) => void,
  ) {
    this.#server = scheduler.spawn('server', 'network', () => Promise.resolve());
  }

  /** The database of one line of events. */
  open(task: Task): Db {
    const pool = { connect: () => this.#connect(task) };
    return new Db(pool as unknown as ConstructorParameters<typeof Db>[0]);
  }

  /**
   * Time passes: what takes longer than a statement or an idle transaction may, the server has ended. Everybody
   * stands when it does, so a statement that is still at the server waits for a lock; those come first, while
   * nobody has let go of any.
   */
  async age(nowMs: number): Promise<void> {
    const isOld = ({ ended, begunMs }: Unit) =>
      ended === null && nowMs - begunMs >= SESSION_LIMITS.statementMs;
    const old = [...this.#units].filter(isOld);
    const waiting = old.filter(({ isRunning }) => isRunning);
    for (const { session, running } of waiting) {
      await this.sessions.cancel(session);
      await running.catch(() => {});
    }
    for (const unit of old.filter((one) => !waiting.includes(one)))
      await this.#end(unit, unit.isExplicit ? 'undone' : 'committed');
  }

  /** The process has died; so do its transactions, lone statements as it is said. */
  async crash(owner: string, how: (typeof CRASH_ENDS)[number]): Promise<void> {
    for (const unit of [...this.#units].filter(({ task }) => task.owner === owner)) {
      if (unit.ended === null && how === 'committed late' && !unit.isExplicit) {
        this.#commitLate(unit);
        continue;
      }
      await this.sessions.cancel(unit.session);
      const isWhole = await unit.running.then(
        () => true,
        () => false,
      );
      const commits = how === 'committed' && !unit.isExplicit && isWhole;
      await this.#finish(unit, commits ? 'committed' : 'undone');
    }
  }

  /** Nothing stays open behind a schedule. */
  async close(): Promise<void> {
    for (const unit of this.#units) {
      await this.sessions.cancel(unit.session);
      await unit.running.catch(() => {});
      await this.#finish(unit, 'undone');
    }
  }

  async #connect(task: Task): Promise<object> {
    if (this.cutOff.has(task.owner)) throw new Error('connect ECONNREFUSED');
    let unit: Unit | null = null;
    return {
      listeners: () => [],
      on: () => {},
      release: () => {},
      query: async (query: Query) => {
        switch (query.text) {
          case 'BEGIN':
            unit = await this.#begin(task, true);
            return { rows: [] };
          case 'COMMIT':
            return this.#commit(mustBe(unit), ['ok', 'lost', 'unheard']);
          case 'ROLLBACK':
            await this.#finish(mustBe(unit), 'undone');
            return { rows: [] };
          default:
            return unit === null ? this.#runAlone(task, query) : this.#runIn(unit, query);
        }
      },
    };
  }

  async #runAlone(task: Task, query: Query): Promise<unknown> {
    const isWhole = !WRITES.test(query.text) || (this.isCalm && !DRAWS.test(query.text));
    if (isWhole) return this.#runWhole(task, query);
    await this.#stand(task, query, null);
    const unit = await this.#begin(task, false);
    const result = await this.#run(unit, query);
    await this.#commit(unit, ['ok', 'lost', 'unheard', 'commits late'], query.name);
    return result;
  }

  async #runWhole(task: Task, query: Query): Promise<unknown> {
    await this.#stand(task, query, null);
    const session = await this.scheduler.perform(task, null, () => this.sessions.take());
    const result = await this.scheduler.perform(task, session, async () => {
      try {
        return await session.query(query);
      } finally {
        this.sessions.give(session);
      }
    });
    this.scheduler.trace.result(task, digest(result));
    return result;
  }

  async #runIn(unit: Unit, query: Query): Promise<unknown> {
    await this.#stand(unit.task, query, unit);
    if (unit.ended !== null) throw new Error('Connection terminated unexpectedly');
    return this.#run(unit, query);
  }

  /** The step before a statement: it may never reach the server. */
  async #stand(task: Task, { name = '', values = [] }: Query, unit: Unit | null): Promise<void> {
    const key = JSON.stringify(values);
    const more = unit === null ? { key } : { key, session: unit.session };
    const end = await this.scheduler.stand(task, name, ['ok', 'cut'], more);
    this.onStatement(task, name, end);
    if (end === 'ok') return;
    if (unit !== null) await this.#finish(unit, 'undone');
    throw new Error('Connection terminated unexpectedly');
  }

  async #begin(task: Task, isExplicit: boolean): Promise<Unit> {
    const session = await this.scheduler.perform(task, null, () => this.sessions.take());
    const begunMs = this.scheduler.nowMs;
    const stream = `${this.seed}/${task.name}/${(task.drawn += 1)}`;
    const running = session.begin(stream);
    const unit: Unit = {
      task,
      session,
      isExplicit,
      begunMs,
      running,
      isRunning: false,
      key: stream,
      ended: null,
    };
    this.#units.add(unit);
    await this.scheduler.perform(task, session, () => running);
    return unit;
  }

  async #run(unit: Unit, query: Query): Promise<unknown> {
    const { task, session } = unit;
    unit.running = session.query(query);
    unit.isRunning = true;
    try {
      const result = await this.scheduler.perform(task, session, () => unit.running);
      this.scheduler.trace.result(task, digest(result));
      if (UNDER_A_LEASE.has(query.name ?? '') && (result as Rows).rows.length === 0)
        this.onStatement(task, query.name ?? '', 'moved nothing');
      return result;
    } catch (error) {
      this.scheduler.trace.result(task, String(error));
      if (!unit.isExplicit) await this.#finish(unit, 'undone');
      throw error;
    } finally {
      unit.isRunning = false;
    }
  }

  async #commit(unit: Unit, ends: string[], name = ''): Promise<unknown> {
    const { task, session } = unit;
    const end = await this.scheduler.stand(task, `commits ${name}`.trimEnd(), ends, {
      session,
      key: unit.key,
    });
    this.onStatement(task, `commit ${name}`, end);
    if (end === 'commits late') this.#commitLate(unit);
    else if (unit.ended === null) await this.#finish(unit, end === 'lost' ? 'undone' : 'committed');
    else this.#leave(unit);
    if (end !== 'ok' || unit.ended === 'undone') {
      throw new Error('Connection terminated unexpectedly');
    }
    return { rows: [] };
  }

  /** The server is slow, and nobody listens any more: it commits when it comes to it. */
  #commitLate(unit: Unit): void {
    this.scheduler.spawn(`late ${unit.task.name}`, 'network', async (task) => {
      unit.task = task;
      const { session } = unit;
      await unit.running.catch(() => {});
      const dueMs = this.scheduler.nowMs + SESSION_LIMITS.statementMs;
      await this.scheduler.stand(task, 'commits late', ['ok'], { session, dueMs, byMs: dueMs });
      await this.#finish(unit, 'committed');
    });
  }

  async #finish(unit: Unit, how: 'committed' | 'undone'): Promise<void> {
    if (unit.ended === null) await this.#end(unit, how);
    this.#leave(unit);
  }

  async #end(unit: Unit, how: 'committed' | 'undone'): Promise<void> {
    const { session } = unit;
    const task = unit.task.isDead ? this.#server : unit.task;
    unit.ended = how;
    const text = how === 'committed' ? 'COMMIT' : 'ROLLBACK';
    await this.scheduler.perform(task, session, () => session.query({ text }));
  }

  #leave(unit: Unit): void {
    if (this.#units.delete(unit)) this.sessions.give(unit.session);
  }
}

function mustBe(unit: Unit | null): Unit {
  if (unit === null) throw new Error('Bug: no transaction is open');
  return unit;
}

function digest(result: unknown): string {
  const rows = JSON.stringify((result as Rows).rows);
  return createHash('sha256').update(rows).digest('base64');
}
