/**
 * The rows of the payments of a big day from number $2 to $3, of $4 in all, under the account $1: what the
 * services would have written, in the tables that say what money moved. The formulas are those of `big-day.ts`.
 */
const PAYMENTS = `
  SELECT n,
         $1::uuid AS account_id,
         (lpad(to_hex(n >> 16), 8, '0') || '-' || lpad(to_hex(n & 65535), 4, '0') || '-7000-8000-000000000000')::uuid AS id,
         (lpad(to_hex(n >> 16), 8, '0') || '-' || lpad(to_hex(n & 65535), 4, '0') || '-7000-9000-000000000000')::uuid AS operation_id,
         (lpad(to_hex(n >> 16), 8, '0') || '-' || lpad(to_hex(n & 65535), 4, '0') || '-7000-a000-000000000000')::uuid AS second_id,
         md5('key' || n)::uuid AS processor_key,
         'pi_' || left(md5('pi' || n), 24) AS intent_id,
         timestamptz '2026-01-31 00:00:00Z' + (n * 86400000 / ($4::bigint + 1)) * interval '1 ms' AS at,
         100 + (n * 7919) % 250000 AS amount,
         CASE WHEN n % 23 = 1 THEN 'jpy' WHEN n % 23 = 2 THEN 'kwd' WHEN n % 23 < 6 THEN 'usd' ELSE 'myr' END AS currency,
         n % 40 = 3 AS is_declined,
         n % 20 = 8 AS is_captured_later,
         n % 10 = 5 AS has_refund,
         n % 400 = 211 AS is_disputed
    FROM generate_series($2::bigint, $3::bigint) AS n`;

const DAY = `
  WITH payment AS (${PAYMENTS}),
  day AS (
    SELECT payment.*,
           CASE WHEN is_captured_later THEN amount - amount / 4 ELSE amount END AS captured
      FROM payment
  )`;

export const BIG_DAY_ROWS: Record<string, string> = {
  payments: `${DAY}
    INSERT INTO payments (account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
                          amount_reserved, payment_method, metadata, capture, failure_code, failure_message, decline_code,
                          processor_name, processor_id, event_sequence, created_at, settled_at)
    SELECT account_id, id, CASE WHEN is_declined THEN 'failed' ELSE 'succeeded' END, amount, currency,
           CASE WHEN is_declined THEN 0 ELSE captured END,
           CASE WHEN has_refund THEN captured / 2 ELSE 0 END,
           CASE WHEN is_disputed THEN captured ELSE 0 END,
           CASE WHEN has_refund THEN captured / 2 ELSE 0 END,
           'pm_card_visa', '{}', CASE WHEN is_captured_later THEN 'manual' ELSE 'automatic' END,
           CASE WHEN is_declined THEN 'card_declined' END, CASE WHEN is_declined THEN 'The card was declined.' END,
           CASE WHEN is_declined THEN 'generic_decline' END,
           'mock', intent_id, 1, at, at
      FROM day`,

  operations: `${DAY}
    INSERT INTO operations (account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
                            api_version, rendering_version, amount, currency, attempts_made, created_at, target_id)
    SELECT account_id, operation_id, id, 'charge', sha256(int8send(n)), 'mock', 'default', processor_key,
           '2026-01-01', 1, amount, currency, 1, at, NULL
      FROM day
    UNION ALL
    SELECT account_id, second_id, id, CASE WHEN has_refund THEN 'refund' ELSE 'capture' END, sha256(int8send(-n)),
           'mock', 'default', md5('second' || n)::uuid, '2026-01-01', 1,
           CASE WHEN has_refund THEN captured / 2 ELSE captured END, currency, 1, at, intent_id
      FROM day WHERE has_refund OR is_captured_later`,

  refunds: `${DAY}
    INSERT INTO refunds (account_id, id, payment_id, operation_id, reserved, status, amount, currency, processor_id,
                         created_at, settled_at)
    SELECT account_id, second_id, id, second_id, true, 'succeeded', captured / 2, currency,
           're_' || left(md5('re' || n), 24), at, at
      FROM day WHERE has_refund`,

  disputes: `${DAY}
    INSERT INTO disputes (account_id, id, payment_id, processor_name, processor_id, status, amount, currency, opened_at,
                          recorded_at)
    SELECT account_id, second_id, id, 'mock', 'du_' || left(md5('du' || n), 24), 'open', captured, currency, at, at
      FROM day WHERE is_disputed`,

  ledger_entries: `${DAY},
    fee AS (
      SELECT day.*, (captured * 290 + 5000) / 10000 + 30 AS fee FROM day WHERE NOT is_declined
    )
    INSERT INTO ledger_entries (account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount,
                                currency, effective_at, recorded_at)
    SELECT account_id, id, CASE WHEN is_captured_later THEN second_id ELSE id END,
           CASE WHEN is_captured_later THEN 'capture' ELSE 'charge' END,
           'processor_clearing', 'merchant_payable', captured, currency, at, at
      FROM fee
    UNION ALL
    SELECT account_id, id, id, 'processor_fee', 'processor_fees', 'processor_clearing', fee, currency, at, at
      FROM fee WHERE fee <= captured
    UNION ALL
    SELECT account_id, id, second_id, 'refund', 'merchant_payable', 'processor_clearing', captured / 2, currency, at, at
      FROM fee WHERE has_refund
    UNION ALL
    SELECT account_id, id, second_id, 'dispute', 'merchant_payable', 'processor_clearing', captured, currency, at, at
      FROM fee WHERE is_disputed`,
};

export const ANALYZE_BIG_DAY = `VACUUM (ANALYZE) ${Object.keys(BIG_DAY_ROWS).join(', ')}`;
