import type { Db } from '#postgres/db.js';
import { withSession } from '#postgres/session.js';
import * as sql from './plant.sql.js';
import { progress } from './progress.js';

const STATEMENT_MS = 120_000;
const AT_ONCE = 50_000;

/** A session that may take its time; the services' statements may not. */
export type Planter = { query(text: string, values?: unknown[]): Promise<unknown> };

export function asPlanter<T>(url: string, work: (planter: Planter) => Promise<T>): Promise<T> {
  const options = { url, applicationName: 'figures plant', statementMs: STATEMENT_MS };
  return withSession(options, work);
}

export type Unknowns = {
  count: number;
  /** When the first was claimed, and how far apart they are. */
  from: Date;
  stepMs: number;
  /** Who holds their leases, and for how much longer; nobody, and they are over. */
  lease?: { owner: number; ms: number };
  /** Null: not noted for recovery. */
  dueInMs: number | null;
};

/** Plants payments whose first send has no known outcome, in every table, as a lost answer leaves them. */
export async function plantUnknowns(url: string, db: Db, unknowns: Unknowns): Promise<void> {
  const { count, from, stepMs, lease, dueInMs } = unknowns;
  const sample = await findSample(db);
  const ids = [sample.account_id, sample.payment_id, sample.operation_id];
  await asPlanter(url, async (planter) => {
    await planter.query(sql.MAKE_PLANTED);
    const leased = [lease?.ms ?? 0, lease?.owner ?? null];
    await planter.query(sql.FILL_PLANTED, [count, from, stepMs, ...leased]);
    for (const [table, text] of Object.entries(sql.UNKNOWN_ROWS)) {
      await planter.query(text(await columnsOf(db, table)), ids);
    }
    if (dueInMs !== null) await planter.query(sql.NOTE_PLANTED, [sample.account_id, dueInMs]);
    await planter.query(sql.DROP_PLANTED);
  });
}

/** Plants finished keys, one each `stepMs` from an instant on. */
export async function plantFinished(
  url: string,
  db: Db,
  { first, count, from, stepMs }: { first: number; count: number; from: Date; stepMs: number },
): Promise<void> {
  const { account_id: accountId, key_hash: keyHash } = await findSample(db);
  const text = sql.finishedKeys(await columnsOf(db, 'idempotency_keys'));
  await asPlanter(url, async (planter) => {
    await planter.query(sql.WITHOUT_FOREIGN_KEYS);
    for (let at = first; at < first + count; at += AT_ONCE) {
      const last = Math.min(first + count, at + AT_ONCE) - 1;
      await planter.query(text, [at, last, from, stepMs, accountId, keyHash]);
      progress(`planted ${last - first + 1} of ${count} finished keys`);
    }
  });
}

async function findSample(db: Db): Promise<sql.Sample> {
  const [sample] = await db.run(sql.FIND_SAMPLE, []);
  if (!sample) throw new Error('There is no payment to copy');
  return sample;
}

async function columnsOf(db: Db, table: string): Promise<string[]> {
  return (await db.run(sql.READ_COLUMNS, [table])).map(({ name }) => name);
}
