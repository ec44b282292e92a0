import { statement } from '#postgres/statement.js';

export type NewsTarget = {
  payment_id: string;
  status: 'pending' | 'authorized' | 'succeeded' | 'failed' | 'canceled';
  processor_id: string | null;
  amount: string;
  currency: string;
  payment_method: string;
  capture: 'automatic' | 'manual';
  processor_key: string;
  api_version: string;
  rendering_version: number;
  key_hash: Buffer;
  key_state: 'started' | 'released' | 'queued' | 'finished' | 'canceled';
  /** A lease is held now, by the database's clock. */
  running: boolean;
  /** The key's end has come. */
  ended: boolean;
};

/**
 * The charge that an event names, by our own references in its metadata. No row: there is no such account;
 * a row of nulls: the account has no such operation.
 */
export const FIND_NEWS_TARGET = statement<NewsTarget | { payment_id: null }>(
  'payments.find_news_target',
  `SELECT p.id AS payment_id, p.status, p.processor_id, p.amount, p.currency, p.payment_method, p.capture,
          o.processor_key, o.api_version, o.rendering_version, o.key_hash, k.state AS key_state,
          k.state = 'started' AND k.locked_until > payonce_now() AS running,
          k.ends_at <= payonce_now() AS ended
     FROM accounts a
     LEFT JOIN operations o
       ON o.account_id = $1::uuid AND o.processor_key = $2::uuid AND o.processor_name = $3::text
          AND o.kind = 'charge'
     LEFT JOIN payments p ON p.account_id = $1::uuid AND p.id = o.payment_id
     LEFT JOIN idempotency_keys k ON k.account_id = $1::uuid AND k.key_hash = o.key_hash
    WHERE a.id = $1::uuid`,
);

/** The operation that has the key $2 at the processor, and how its own key stands. */
export const FIND_OPERATION = statement<
  Pick<NewsTarget, 'payment_id' | 'key_hash' | 'key_state' | 'running' | 'ended'>
>(
  'payments.find_operation',
  `SELECT o.payment_id, o.key_hash, k.state AS key_state,
          k.state = 'started' AND k.locked_until > payonce_now() AS running,
          k.ends_at <= payonce_now() AS ended
     FROM operations o
     JOIN idempotency_keys k ON k.account_id = $1::uuid AND k.key_hash = o.key_hash
    WHERE o.account_id = $1::uuid AND o.processor_key = $2::uuid AND o.processor_name = $3::text`,
);

/** The capture or void of a payment that is under way, and how its key stands. */
export const FIND_STEP_UNDER_WAY = statement<
  Pick<NewsTarget, 'key_hash' | 'key_state' | 'running' | 'ended'>
>(
  'payments.find_step_under_way',
  `SELECT o.key_hash, k.state AS key_state,
          k.state = 'started' AND k.locked_until > payonce_now() AS running,
          k.ends_at <= payonce_now() AS ended
     FROM payment_steps s
     JOIN operations o ON o.account_id = $1::uuid AND o.id = s.operation_id
     JOIN idempotency_keys k ON k.account_id = $1::uuid AND k.key_hash = o.key_hash
    WHERE s.account_id = $1::uuid AND s.payment_id = $2::uuid`,
);
