import { linkEntries } from '#ledger/link-entries.js';
import { newSnapshotWalk, takeSnapshots } from '#ledger/take-snapshots.js';
import type { Db } from '#postgres/db.js';
import type { Statement } from '#postgres/statement.js';
import { seeded } from '../seeded.js';
import { onDatabase } from '../on-database.js';
import { CHECK_CHAIN } from '../verify/chain.sql.js';
import { CHECK_SNAPSHOTS } from '../verify/snapshots.sql.js';
import {
  ANALYZE_BIG_ACCOUNT,
  BIG_ACCOUNT_ROWS,
  type BigAccountRow,
  FORGET_SNAPSHOTS,
  PICK_ENTRIES,
  READ_BIG_ACCOUNT,
} from './big-account.sql.js';
import { FIND_ACCOUNT, SERVER_VERSION } from './figures.sql.js';
import { asPlanter } from './plant.js';
import { progress } from './progress.js';
import { type Spread, spreadOf } from './spread.js';
import type { Stage } from './stage.js';

export type Read = { name: string; withSnapshots: Spread; without: Spread };

export type LedgerFigures = {
  postgres: string;
  account: BigAccountRow;
  reads: Read[];
  linkMs: number;
  snapshotMs: number;
  /** Of the chain, and of the snapshots. */
  checkMs: number;
  addAnewMs: number;
};

/** Reads of an account with so many entries, over HTTP, with its balance snapshots and without them. */
export async function measureLedger(
  stage: Stage,
  db: Db,
  { entries, requests }: { entries: number; requests: number },
): Promise<LedgerFigures> {
  const [account] = await db.run(FIND_ACCOUNT, ['demo']);
  if (!account) throw new Error('There is no demo account');
  await plantBigAccount(stage.ownerUrl, account.id, entries);
  const { linkMs, snapshotMs } = await makeFinal(stage);
  await analyze(stage);
  const [big] = await db.run(READ_BIG_ACCOUNT, [account.id]);
  if (!big) throw new Error('The account has no entries');
  const { checkMs, addAnewMs } = await checkAll(stage);
  const picked = await db.run(PICK_ENTRIES, [account.id, requests]);
  const ids = picked.map(({ id }) => id);
  const api = await stage.startApi();
  const withSnapshots = await readAll(stage, big, ids, { requests, mayBeEnded: false });
  await db.run(FORGET_SNAPSHOTS, []);
  const few = { requests: Math.ceil(requests / 30), mayBeEnded: true };
  const without = await readAll(stage, big, ids, few);
  await api.end('SIGTERM');
  const [version] = await db.run(SERVER_VERSION, []);
  return {
    postgres: version?.version ?? '',
    account: big,
    reads: withSnapshots.map(({ name, spread }, at) => ({
      name,
      withSnapshots: spread,
      without: without[at]!.spread,
    })),
    linkMs,
    snapshotMs,
    checkMs,
    addAnewMs,
  };
}

/** The statements of `npm run verify` that read all entries; they take as long as they take. */
async function checkAll(stage: Stage) {
  return onDatabase(
    stage.ownerUrl,
    'figures verify',
    async (db) => {
      const check = (statement: Statement<object>, values: number[]) =>
        timed(async () => {
          const rows = await db.run(statement, values);
          if (rows.length > 0) throw new Error(`This is not right: ${JSON.stringify(rows[0])}`);
        });
      const checkMs = await check(CHECK_CHAIN, [1]);
      progress(`the chain was checked in ${Math.round(checkMs)} ms`);
      const addAnewMs = await check(CHECK_SNAPSHOTS, []);
      progress(`the snapshots were checked in ${Math.round(addAnewMs)} ms`);
      return { checkMs, addAnewMs };
    },
    { patient: true },
  );
}

/** Payments that a transaction books: 10 entries for 3. */
const PAYMENTS_AT_ONCE = 300;

export async function plantBigAccount(
  url: string,
  accountId: string,
  entries: number,
): Promise<void> {
  const payments = Math.ceil((entries * 3) / 10);
  await asPlanter(url, async (planter) => {
    for (let first = 1; first <= payments; first += PAYMENTS_AT_ONCE) {
      const last = Math.min(payments, first + PAYMENTS_AT_ONCE - 1);
      for (const text of Object.values(BIG_ACCOUNT_ROWS)) {
        await planter.query(text, [accountId, first, last]);
      }
      if (last % 60_000 === 0 || last === payments)
        progress(`planted ${last} of ${payments} payments`);
    }
    await planter.query(ANALYZE_BIG_ACCOUNT);
  });
}

/** What the worker does: links first, and then the blocks of them. */
async function makeFinal(stage: Stage) {
  const core = await stage.openCore();
  const { db } = core.deps;
  try {
    const linkMs = await timed(async () => {
      const first = await linkEntries(db);
      await analyze(stage); // as the server does by itself, later
      if (first.more) while ((await linkEntries(db)).more);
    });
    progress(`linked in ${Math.round(linkMs / 1_000)} s`);
    const walk = newSnapshotWalk();
    const snapshotMs = await timed(async () => {
      await analyze(stage);
      while ((await takeSnapshots(db, walk)).more);
    });
    progress(`added up in ${Math.round(snapshotMs / 1_000)} s`);
    return { linkMs, snapshotMs };
  } finally {
    await core.close();
  }
}

function analyze(stage: Stage): Promise<unknown> {
  return asPlanter(stage.ownerUrl, (planter) => planter.query(ANALYZE_BIG_ACCOUNT));
}

const ACCOUNT = '/v1/ledger/accounts/merchant_payable';
const REFUNDS = '/v1/ledger/accounts/refunds';

/** One request at a time. Without snapshots the server may end one, after five seconds. */
async function readAll(
  stage: Stage,
  { first, last }: BigAccountRow,
  ids: readonly string[],
  { requests, mayBeEnded }: { requests: number; mayBeEnded: boolean },
): Promise<{ name: string; spread: Spread }[]> {
  const random = seeded(1);
  const instant = () =>
    new Date(first.getTime() + random() * (last.getTime() - first.getTime())).toISOString();
  const entry = () => ids[Math.floor(random() * ids.length)];
  const paths: Record<string, () => string> = {
    'balance now': () => `${ACCOUNT}/balance`,
    'balance as of an instant, by when it was booked': () =>
      `${ACCOUNT}/balance?as_of=${instant()}&basis=recorded`,
    'balance as of an instant, by when it happened': () =>
      `${ACCOUNT}/balance?as_of=${instant()}&basis=effective`,
    'trial balance as of an instant': () => `/v1/ledger/trial-balance?as_of=${instant()}`,
    'statement from an entry on, 20 lines': () => `${ACCOUNT}/statement?after=${entry()}`,
    'statement from an entry on, 100 lines': () =>
      `${ACCOUNT}/statement?after=${entry()}&limit=100`,
    'statement from an instant on, 20 lines': () =>
      `${ACCOUNT}/statement?created_after=${instant()}`,
    'statement of refunds from an entry on, 20 lines': () =>
      `${REFUNDS}/statement?after=${entry()}`,
  };
  const found = [];
  for (const [name, path] of Object.entries(paths)) {
    const times: number[] = [];
    for (let at = mayBeEnded ? 0 : -WARM_UP; at < requests; at += 1) {
      const ms = await timed(() => get(stage, path(), mayBeEnded));
      if (at >= 0) times.push(ms);
    }
    const spread = spreadOf(times);
    progress(`${name}: p50 ${spread.p50Ms.toFixed(1)} ms, p99 ${spread.p99Ms.toFixed(1)} ms`);
    found.push({ name, spread });
  }
  return found;
}

const WARM_UP = 5;

async function get(stage: Stage, path: string, mayBeEnded: boolean): Promise<void> {
  const headers = { authorization: `Bearer ${stage.apiKey}` };
  const answer = await fetch(stage.apiUrl + path, { headers });
  const text = await answer.text();
  const isEnded = mayBeEnded && answer.status >= 500;
  if (answer.status !== 200 && !isEnded)
    throw new Error(`${path} was answered with ${answer.status}: ${text}`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
