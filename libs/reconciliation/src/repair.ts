import { kindColumns } from '#ledger/entry-kinds.js';
import { applyChargeEvent } from '#payments/apply-charge-event.js';
import { applyDisputeEvent } from '#payments/apply-dispute-event.js';
import { applyRefundEvent } from '#payments/apply-refund-event.js';
import type { Deps } from '#payments/deps.js';
import type { ApplyNews, StoredEvent } from '#payments/news.js';
import type { LongSession } from '#postgres/long-session.js';
import { lookAgain } from './apart.js';
import { bookMissing } from './book-missing.js';
import { BOOK_FEES, COUNT_UNREPAIRED, FIND_REPAIRS, type RepairRow } from './repair.sql.js';

/** Lines that are looked at together, and how many of them at once. */
const PAGE = 5_000;
const AT_ONCE = 4;
const FEES_A_BATCH = 20_000;

export type Repairing = {
  deps: Deps;
  session: LongSession;
  requestId: string;
  progress: (done: number) => void;
};

/**
 * Settles what the report tells of our own intents and the books here lack, each exactly as a webhook would: the
 * processor is asked, and what it says goes through the record step, which cannot book twice. Then the fees that
 * only the report tells. Nothing else is safe to repair without a person. Returns how many lines it made right.
 */
export async function repair(repairing: Repairing): Promise<number> {
  const { session, deps } = repairing;
  const processorName = deps.processor.name;
  const found = await settleAll(repairing);
  if (found > 0) await lookAgain(session, processorName);
  const [left] = found > 0 ? await session.run(COUNT_UNREPAIRED, [processorName]) : [];
  const booked = await bookFees(session, processorName);
  if (booked > 0) await lookAgain(session, processorName);
  return found - (left?.count ?? 0) + booked;
}

/** Returns how many lines it tried to. */
async function settleAll(repairing: Repairing): Promise<number> {
  const { session, deps, progress } = repairing;
  let tried = 0;
  let after = 0;
  for (;;) {
    const page = await session.run(FIND_REPAIRS, [deps.processor.name, after, PAGE]);
    await eachOf(page, (row) => settle(repairing, row));
    tried += page.length;
    after = page.at(-1)?.line ?? after;
    progress(tried);
    if (page.length < PAGE) return tried;
  }
}

async function settle({ deps, requestId }: Repairing, row: RepairRow): Promise<void> {
  const apply = APPLIED_AS[row.category];
  if (!apply) return;
  const verdict = await apply(deps, asNews(row), requestId);
  deps.log.info('report_line_applied', {
    line: row.line,
    category: row.category,
    processor_id: row.source_id,
    request_id: requestId,
    verdict: verdict.kind,
    reason: verdict.reason,
  });
}

const APPLIED_AS: Record<string, ApplyNews> = {
  charge: applyChargeEvent,
  refund: applyRefundEvent,
  refund_failure: applyRefundEvent,
  dispute: applyDisputeEvent,
  dispute_reversal: applyDisputeEvent,
};

/** The event that a webhook would have brought: a nudge, of which only the names are believed. */
function asNews(row: RepairRow): StoredEvent {
  const isCharge = row.category === 'charge';
  const metadata = { payonce_account: row.account_ref, payonce_intent: row.intent_ref };
  return {
    event_id: `report line ${row.line}`,
    type: isCharge ? 'payment_intent.succeeded' : `report.${row.category}`,
    object_id: isCharge ? row.payment_ref : row.source_id,
    payload: JSON.stringify({ data: { object: { metadata } } }),
    waits: 0,
    age_ms: Number.MAX_SAFE_INTEGER, // of a day that is over
  };
}

async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const one = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

const FEE_KINDS = [
  'processor_fee',
  'late_success_fee',
  'dispute_fee',
  'dispute_fee_returned',
] as const;

async function bookFees(session: LongSession, processorName: string): Promise<number> {
  const kinds = kindColumns(FEE_KINDS);
  let booked = 0;
  await bookMissing(async () => {
    const [batch] = await session.run(BOOK_FEES, [processorName, ...kinds, FEES_A_BATCH]);
    booked += batch?.booked ?? 0;
    return (batch?.booked ?? 0) < FEES_A_BATCH ? 'done' : 'more';
  });
  return booked;
}
