import type { System } from '#testing/system.js';

export type Money = {
  status: string;
  captured: number;
  disputed: number;
  refunded: number;
  processorId: string | null;
  /** Kind and amount, in the order of booking. */
  ledger: [string, number][];
  events: string[];
  breaks: { kind: string; reference: string; status: string; amount: number | null }[];
  disputes: { status: string; amount: number; excess: number }[];
};

/** All that is recorded about the money of a payment, without ids and times. */
export async function moneyOf({ owner }: System, paymentId: string): Promise<Money> {
  const rows = async (text: string) => (await owner.query(text, [paymentId])).rows;
  const [payment] = await rows('SELECT * FROM payments WHERE id = $1');
  const ledger = await rows(
    'SELECT entry_kind, amount::int FROM ledger_entries WHERE payment_id = $1 ORDER BY recorded_at, entry_kind',
  );
  const events = await rows(
    'SELECT sequence, type FROM outbox_events WHERE payment_id = $1 ORDER BY sequence',
  );
  if (events.some(({ sequence }, index) => sequence !== index + 1)) {
    throw new Error(`The events are numbered ${events.map(({ sequence }) => sequence).join()}`);
  }
  return {
    status: payment.status,
    captured: Number(payment.amount_captured),
    disputed: Number(payment.amount_disputed),
    refunded: Number(payment.amount_refunded),
    processorId: payment.processor_id,
    ledger: ledger.map(({ entry_kind, amount }) => [entry_kind, amount]),
    events: events.map(({ type }) => type),
    breaks: await rows(
      `SELECT kind, reference, status, amount::int FROM breaks WHERE payment_id = $1 ORDER BY id`,
    ),
    disputes: await rows(
      `SELECT status, amount::int, excess::int FROM disputes WHERE payment_id = $1 ORDER BY id`,
    ),
  };
}

/** What a payment left on each account of the ledger: debits less credits. */
export async function balances(
  { owner }: System,
  paymentId: string,
): Promise<Record<string, number>> {
  const { rows } = await owner.query(
    `SELECT account, sum(amount)::int AS amount
       FROM (SELECT debit_account AS account, amount FROM ledger_entries WHERE payment_id = $1
              UNION ALL
             SELECT credit_account, -amount FROM ledger_entries WHERE payment_id = $1) AS side
      GROUP BY account`,
    [paymentId],
  );
  return Object.fromEntries(rows.map(({ account, amount }) => [account, amount]));
}
