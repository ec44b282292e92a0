import type { Deps } from '#payments/deps.js';
import { BREAK_KINDS } from '#payments/break-kinds.js';
import type { Tx } from '#postgres/db.js';
import { LongSession, type LongTx } from '#postgres/long-session.js';
import { failpoint } from '#seams/failpoints.js';
import { setApart } from './apart.js';
import { bookPayouts } from './book-payouts.js';
import { COUNT_OPEN } from './breaks.sql.js';
import { compare } from './compare.js';
import { type Imported, type ReportFile, importReport } from './import-report.js';
import { BOUND_SESSION, PLAN_FOR_FEW, READ_NOW, TAKE_LOCK } from './import.sql.js';
import { repair } from './repair.js';

/** The kinds of break that are opened, closed and counted here. */
export const REPORT_KINDS = Object.entries(BREAK_KINDS)
  .filter(([, by]) => by === 'reconciliation')
  .map(([kind]) => kind);

export type ReconcileOrder = {
  /** An address past any pooler: the lock of this run is its session's. */
  sessionUrl: string;
  /** Null: the day that most lines of the file are of. */
  date: string | null;
  /** Called once it is sure that nobody else is at it. */
  openFile: () => Promise<ReportFile>;
  /** How long after it was made a movement may come to stand in a report. */
  windowHours: number;
  /** Compares and tells; nothing is written, and nothing repaired. */
  isDryRun: boolean;
  /** What is being done, and how far it is. */
  progress: (doing: string, done: number) => void;
  /** Ends the run between two steps, and the statement that runs: nothing half-done stays. */
  signal?: AbortSignal;
};

export type Reconciled = {
  processorName: string;
  imported: Imported;
  repaired: number;
  /** Entries that were booked of payouts: one for each payment in each. */
  paidOut: number;
  /** Breaks that are still open, by kind. */
  open: Record<string, number>;
  openInAll: number;
  isDryRun: boolean;
  /** Breaks that closed since then were closed by this run. */
  startedAt: Date;
};

/** Another run of the same processor is at it: two would only be in each other's way. */
export class AnotherRun extends Error {}

/** Where the rows of a run can be read. In a dry run they exist nowhere else. */
export type Reader = Pick<Tx, 'run'>;

/**
 * One report against the books here: imported whole, repaired where that is safe, compared as two sets, the
 * differences kept as breaks, and what was paid out booked. Each step is one transaction that can be repeated, so that
 * a run that was killed anywhere is run again with the same result. `tell` is called while everything can be read.
 *
 * @keeps P11
 */
export async function reconcile<T>(
  deps: Deps,
  order: ReconcileOrder,
  tell: (reconciled: Reconciled, reader: Reader) => Promise<T>,
): Promise<T> {
  const processorName = deps.processor.name;
  const session = await LongSession.open({
    url: order.sessionUrl,
    applicationName: `reconciliation ${processorName}`,
  });
  const end = () => session.abandon();
  order.signal?.addEventListener('abort', end, { once: true });
  try {
    order.signal?.throwIfAborted(); // while the session was opened, nobody listened
    const [lock] = await session.run(TAKE_LOCK, [processorName]);
    if (!lock?.ours) {
      throw new AnotherRun(`Another reconciliation of ${processorName} is running: one at a time.`);
    }
    await session.run(BOUND_SESSION, []);
    await session.run(PLAN_FOR_FEW, ['off']);
    const run = new Run(deps, session, order);
    return await (order.isDryRun ? run.dry(tell) : run.real(tell));
  } catch (error) {
    if (order.signal?.aborted) throw new Stopped('Stopped: nothing half-done was kept.');
    throw error;
  } finally {
    order.signal?.removeEventListener('abort', end);
    await session.close();
  }
}

/** Somebody wished it to end. */
export class Stopped extends Error {}

type Tell<T> = (reconciled: Reconciled, reader: Reader) => Promise<T>;

class Run {
  constructor(
    private readonly deps: Deps,
    private readonly session: LongSession,
    private readonly order: ReconcileOrder,
  ) {}

  async real<T>(tell: Tell<T>): Promise<T> {
    const { session, deps, order } = this;
    const startedAt = await this.#now(session);
    const file = await order.openFile();
    await failpoint('s1');
    const imported = await session.transaction((tx) => importReport(tx, this.#import(file)));
    order.signal?.throwIfAborted();
    await setApart(session, this.#sides(imported));
    order.signal?.throwIfAborted();
    await session.run(PLAN_FOR_FEW, ['on']);
    const repaired = await repair({
      deps,
      session,
      requestId: `rec_${deps.random.uuid()}`,
      progress: (done) => order.progress('Repairing', done),
    });
    await session.run(PLAN_FOR_FEW, ['off']);
    order.signal?.throwIfAborted();
    await session.transaction((tx) => compare(tx, this.#comparison(imported)));
    order.signal?.throwIfAborted();
    await failpoint('s4');
    const paidOut = await this.#payOut(imported);
    const open = await this.#open(session, imported);
    return tell(this.#reconciled(imported, { repaired, paidOut }, open, startedAt), session);
  }

  async dry<T>(tell: Tell<T>): Promise<T> {
    const work = async (tx: LongTx) => {
      const startedAt = await this.#now(tx);
      const file = await this.order.openFile();
      const imported = await importReport(tx, this.#import(file));
      await setApart(tx, this.#sides(imported));
      await compare(tx, this.#comparison(imported));
      const open = await this.#open(tx, imported);
      const done = { repaired: 0, paidOut: 0 };
      return tell(this.#reconciled(imported, done, open, startedAt), tx);
    };
    return this.session.transaction(work, { keep: false });
  }

  #import(file: ReportFile) {
    const { order, deps } = this;
    return {
      processorName: deps.processor.name,
      date: order.date,
      file,
      progress: (lines: number) => order.progress('Reading', lines),
    };
  }

  #sides({ id: importId, date }: Imported) {
    this.order.progress('Comparing', 0);
    return { importId, date, processorName: this.deps.processor.name };
  }

  #comparison(imported: Imported) {
    const { order } = this;
    return {
      ...this.#sides(imported),
      windowHours: order.windowHours,
      kinds: REPORT_KINDS,
      progress: (step: number) => order.progress('Comparing', step),
    };
  }

  #payOut({ id: importId, date }: Imported): Promise<number> {
    const { order, deps, session } = this;
    return bookPayouts(session, {
      importId,
      date,
      processorName: deps.processor.name,
      kinds: REPORT_KINDS,
      progress: (booked) => order.progress('Booking payouts', booked),
      signal: order.signal,
    });
  }

  async #now(reader: Reader): Promise<Date> {
    const [row] = await reader.run(READ_NOW, []);
    if (!row) throw new Error('Bug: the database has no time');
    return row.now;
  }

  async #open(reader: Reader, { date }: Imported): Promise<Record<string, number>> {
    const rows = await reader.run(COUNT_OPEN, [this.deps.processor.name, date, REPORT_KINDS]);
    return Object.fromEntries(rows.map(({ kind, open }) => [kind, open]));
  }

  #reconciled(
    imported: Imported,
    done: Pick<Reconciled, 'repaired' | 'paidOut'>,
    open: Record<string, number>,
    startedAt: Date,
  ): Reconciled {
    return {
      processorName: this.deps.processor.name,
      imported,
      ...done,
      open,
      openInAll: Object.values(open).reduce((sum, count) => sum + count, 0),
      isDryRun: this.order.isDryRun,
      startedAt,
    };
  }
}
