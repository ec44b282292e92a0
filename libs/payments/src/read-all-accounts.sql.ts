import { statement } from '#postgres/statement.js';

/** Each account is asked by the primary key, so that no index across accounts is needed. */
const accountOf = (table: 'payments' | 'refunds') => `
   SELECT p.account_id
     FROM accounts a
     CROSS JOIN LATERAL (
            SELECT account_id FROM ${table} WHERE account_id = a.id AND id = $2::uuid LIMIT 1) AS p
    WHERE a.mode = $1::text`;

/** Whose payment an id is, among the accounts of one mode. For operators alone, as all of this file. */
export const FIND_ACCOUNT_OF_PAYMENT = statement<{ account_id: string }>(
  'payments.find_account_of_payment',
  accountOf('payments'),
);

export const FIND_ACCOUNT_OF_REFUND = statement<{ account_id: string }>(
  'payments.find_account_of_refund',
  accountOf('refunds'),
);

/** A payment or a refund, by account and id. */
export type Name = { account_id: string; id: string };

/** The newest of each account, and of these the newest: no account is read further than a page. */
const pageOf = (table: 'payments' | 'refunds', which: string) => `
   SELECT p.account_id, p.id
     FROM accounts a
     CROSS JOIN LATERAL (
            SELECT account_id, id
              FROM ${table}
             WHERE account_id = a.id
               AND ($4::uuid IS NULL OR id < $4::uuid)
               AND ($5::text IS NULL OR status = $5::text)
               AND ($6::timestamptz IS NULL OR created_at > $6::timestamptz)
               AND ($7::timestamptz IS NULL OR created_at < $7::timestamptz)
               AND ${which}
             ORDER BY id DESC
             LIMIT $2::int) AS p
    WHERE a.mode = $1::text AND ($3::uuid IS NULL OR a.id = $3::uuid)
    ORDER BY p.id DESC
    LIMIT $2::int`;

/** A page of the payments of all accounts of a mode, newest first. */
export const LIST_ALL = statement<Name>(
  'payments.list_all',
  pageOf('payments', '($8::text IS NULL OR order_id = $8::text)'),
);

export const LIST_ALL_OF_ORDER = statement<Name>(
  'payments.list_all_of_order',
  pageOf('payments', 'order_id = $8::text'),
);

export const LIST_ALL_OF_KEY = statement<Name>(
  'payments.list_all_of_key',
  pageOf(
    'payments',
    `($8::text IS NULL OR order_id = $8::text)
               AND id = (SELECT payment_id FROM idempotency_keys
                          WHERE account_id = a.id AND key_hash = $9::bytea)`,
  ),
);

/** The same of refunds. */
export const LIST_ALL_REFUNDS = statement<Name>(
  'payments.list_all_refunds',
  pageOf('refunds', '($8::uuid IS NULL OR payment_id = $8::uuid)'),
);

export const LIST_ALL_REFUNDS_OF_KEY = statement<Name>(
  'payments.list_all_refunds_of_key',
  pageOf(
    'refunds',
    `($8::uuid IS NULL OR payment_id = $8::uuid)
               AND operation_id = (SELECT operation_id FROM idempotency_keys
                                    WHERE account_id = a.id AND key_hash = $9::bytea)`,
  ),
);
