import { statement } from '#postgres/statement.js';

/**
 * Payments number $2 to $3 of a big account $1, a minute apart, in one transaction: each charged, with a fee, and paid out;
 * a third of them refunded. Payouts and some others are booked late: when they happened and when they were booked differ.
 */
const PAYMENT = `
  SELECT n, $1::uuid AS account_id, (lpad(to_hex(n), 12, '0') || '70008000000000000000')::uuid AS id,
         timestamptz '2025-01-01 00:00:00Z' + n * interval '1 minute' AS at, 1000 + (n * 7919) % 9000 AS amount,
         CASE WHEN n % 9 = 0 THEN 'usd' ELSE 'myr' END AS currency
    FROM generate_series($2::bigint, $3::bigint) AS n`;

export const BIG_ACCOUNT_ROWS: Record<string, string> = {
  payments: `
    INSERT INTO payments (account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_reserved,
                          payment_method, metadata, capture, processor_name, processor_id, event_sequence, created_at,
                          settled_at)
    SELECT account_id, id, 'succeeded', amount, currency, amount, CASE WHEN n % 3 = 0 THEN 100 ELSE 0 END,
           CASE WHEN n % 3 = 0 THEN 100 ELSE 0 END, 'pm_card_visa', '{}', 'automatic', 'mock', 'pi_' || n, 1, at, at
      FROM (${PAYMENT}) AS payment`,

  ledger_entries: `
    INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount,
                                currency, effective_at, recorded_at)
    SELECT account_id, p.id, CASE WHEN kind IN ('charge', 'processor_fee') THEN p.id ELSE payonce_uuid_v7() END, kind,
           debit, credit, share, currency, at - before - CASE WHEN n % 50 = 7 THEN n % 100 ELSE 0 END * interval '1 hour',
           at + n % 60 * interval '1 second'
      FROM (${PAYMENT}) AS p
     CROSS JOIN LATERAL (
           VALUES ('charge', 'processor_clearing', 'merchant_payable', amount, interval '0'),
                  ('processor_fee', 'processor_fees', 'processor_clearing', 30, interval '0'),
                  ('payout', 'bank', 'processor_clearing', amount - 130, interval '2 days'),
                  ('refund', 'merchant_payable', 'processor_clearing', 100, interval '1 hour')
           ) AS entry (kind, debit, credit, share, before)
     WHERE kind <> 'refund' OR n % 3 = 0
     ORDER BY n, before`,
};

export const ANALYZE_BIG_ACCOUNT =
  'VACUUM (ANALYZE) payments, ledger_entries, ledger_chain, ledger_snapshots';

export type BigAccountRow = {
  entries: number;
  blocks: number;
  /** Of the snapshots, whatever belongs to them. */
  bytes: string;
  first: Date;
  last: Date;
};

export const READ_BIG_ACCOUNT = statement<BigAccountRow>(
  'figures.read_big_account',
  `SELECT count(*)::int AS entries, min(recorded_at) AS first, max(recorded_at) AS last,
          (SELECT count(DISTINCT number)::int FROM ledger_snapshots WHERE account_id = $1::uuid) AS blocks,
          pg_total_relation_size('ledger_snapshots')::text AS bytes
     FROM ledger_entries
    WHERE account_id = $1::uuid`,
);

/** Entries spread evenly over the account: $2 of them. */
export const PICK_ENTRIES = statement<{ id: string }>(
  'figures.pick_entries',
  `SELECT entry_id AS id
     FROM ledger_chain
    WHERE account_id = $1::uuid
      AND number % (SELECT greatest(1, max(number) / $2::int) FROM ledger_chain WHERE account_id = $1::uuid) = 0
    ORDER BY number
    LIMIT $2::int`,
);

export const FORGET_SNAPSHOTS = statement('figures.forget_snapshots', 'TRUNCATE ledger_snapshots');
