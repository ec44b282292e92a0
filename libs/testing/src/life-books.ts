import type pg from 'pg';
import type { BookLine, MockClient } from './mock-client.js';

type Places = { owner: pg.Client; mockClient: MockClient };

/**
 * Where the processor's book and our database differ about the whole life of one payment, in words: its charges,
 * captures, refunds and disputes, whatever came of them. It shares no code with the service, and reads rows.
 *
 * Fees are compared where both have them: those of disputes and of second charges are not booked yet.
 */
export async function lifeDisagreements(
  { owner, mockClient }: Places,
  paymentId: string,
): Promise<string[]> {
  const rows = async (text: string) => (await owner.query(text, [paymentId])).rows;
  const [payment] = await rows(
    `SELECT p.*, o.processor_key FROM payments p
       JOIN operations o ON o.payment_id = p.id AND o.kind = 'charge' WHERE p.id = $1`,
  );
  const theirs = linesOf(await mockClient.book(), payment.processor_key);
  const refunds = await rows('SELECT * FROM refunds WHERE payment_id = $1');
  const disputes = await rows('SELECT * FROM disputes WHERE payment_id = $1');
  const late = await rows(
    `SELECT amount FROM breaks WHERE payment_id = $1 AND kind = 'late_success' AND status = 'open'`,
  );
  const ledger = await rows('SELECT * FROM ledger_entries WHERE payment_id = $1');

  const found: string[] = [];
  const same = (what: string, ours: unknown, other: unknown) => {
    if (String(ours) !== String(other))
      found.push(`${what}: ${String(ours)} here, ${String(other)} there`);
  };
  const withoutFees = ledger.filter(({ entry_kind }) => entry_kind !== 'processor_fee');
  same('money at the processor', balance(withoutFees, 'processor_clearing'), moneyIn(theirs));
  same('refunds', idsOf(refunds), ids(theirs, 'refund'));
  same('disputes', idsOf(disputes), ids(theirs, 'dispute'));
  same('won disputes', count(disputes, 'won'), ids(theirs, 'dispute_won').length);
  same('disputed', payment.amount_disputed, sum(disputes.filter(({ status }) => stands(status))));

  const ours = refunds.filter(({ break_id }) => break_id === null);
  const made = ours.filter(({ status }) => status === 'succeeded');
  same('refunded, by refunds', payment.amount_refunded, sum(made));
  same(
    'reserved, by refunds',
    payment.amount_reserved,
    sum(ours.filter(({ reserved }) => reserved)),
  );
  const excess = sum(disputes, 'excess');
  same('suspense, by what is open', -balance(ledger, 'suspense'), sum(late) - excess);
  const left =
    Number(payment.amount_captured) -
    Number(payment.amount_reserved) -
    sum(disputes.filter(({ status }) => stands(status))) +
    excess;
  if (left < 0) found.push(`refunds and disputes take ${-left} more than was captured`);
  const payable = balance(ledger, 'merchant_payable');
  const refundedOrPending = sum(
    ours.filter(({ status, processor_id }) => status !== 'failed' && processor_id !== null),
  );
  const disputed = sum(disputes.filter(({ status }) => stands(status))) - excess;
  same(
    'owed to the merchant',
    -payable,
    Number(payment.amount_captured) - refundedOrPending - disputed,
  );
  return found;
}

type Row = Record<string, any>;

/** The lines of one intent: its payments there, what belongs to them, and what belongs to that. */
function linesOf(book: readonly BookLine[], intent: string): BookLine[] {
  const mine = new Set(
    book
      .filter(({ metadata }) => metadata['payonce_intent'] === intent)
      .map(({ id, parent }) => parent ?? id),
  );
  for (const { id, parent } of book) if (parent !== null && mine.has(parent)) mine.add(id);
  return book.filter(({ id, parent }) => mine.has(id) || (parent !== null && mine.has(parent)));
}

const SIGNS: Record<string, number> = {
  charge: 1,
  capture: 1,
  refund: -1,
  refund_failed: 1,
  dispute: -1,
  dispute_won: 1,
};

function moneyIn(lines: readonly BookLine[]): number {
  return lines.reduce(
    (total, { operation, amount }) => total + (SIGNS[operation] ?? 0) * amount,
    0,
  );
}

function balance(entries: readonly Row[], account: string): number {
  return entries.reduce((total, entry) => {
    const sign =
      Number(entry['debit_account'] === account) - Number(entry['credit_account'] === account);
    return total + sign * Number(entry['amount']);
  }, 0);
}

function ids(lines: readonly BookLine[], operation: string): string[] {
  return lines
    .filter((line) => line.operation === operation)
    .map(({ id }) => id)
    .sort(byText);
}

/** Those that the processor has; a refund that was never made has no id there. */
function idsOf(rows: readonly Row[]): string[] {
  return rows
    .map(({ processor_id }) => processor_id as string | null)
    .filter((id) => id !== null)
    .sort(byText);
}

/** An inquiry moves nothing, and what was won has come back. */
function stands(status: string): boolean {
  return status === 'open' || status === 'lost';
}

function count(rows: readonly Row[], status: string): number {
  return rows.filter((row) => row['status'] === status).length;
}

function sum(rows: readonly Row[], column = 'amount'): number {
  return rows.reduce((total, row) => total + Number(row[column]), 0);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}
