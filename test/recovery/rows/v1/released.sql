-- The intent under the key released-caller.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e271-7c4a-a507-2cbd1995690c', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'released-caller', NULL, '{}', 'automatic', NULL,
  NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:00:57.713+00', NULL
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xb5a85022bc62c44276b6523be4889f300a68e5e3f495e76e456b81a21d70541f',
  '019bc119-e271-7099-8f18-4e976ba7e37b', 'POST /v1/payments',
  E'\\x7e06d84ea36ec01888f1553faee43ff5206dd4d793588a88683650fe1e697c81', '1', 'released',
  '2026-01-15 10:00:57.742744+00', 'b057b5e0-114f-47b4-a4ee-8b18058ae257',
  '019bc119-e271-7c4a-a507-2cbd1995690c', '019bc119-e271-73b1-a052-08a672befbe3',
  'req_d6dfd9dd-ee2e-4fcf-a5ad-58935fed9984', '2026-01-15 10:00:57.713+00',
  '2026-01-22 10:00:57.713+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e271-73b1-a052-08a672befbe3',
  '019bc119-e271-7c4a-a507-2cbd1995690c', 'charge',
  E'\\xb5a85022bc62c44276b6523be4889f300a68e5e3f495e76e456b81a21d70541f', 'mock',
  'acct_payoncemock', '80dab682-9300-8898-a77f-3045e3f327f9', '2026-10-28.endive', '1', '2500',
  'myr', '1', NULL, NULL, '2026-01-15 10:00:57.713+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e271-73b1-a052-08a672befbe3', '1', 'send',
  'request', 'req_d6dfd9dd-ee2e-4fcf-a5ad-58935fed9984', '2026-01-15 10:00:57.713+00', 'not_sent',
  'rate_limited', '2026-01-15 10:00:57.742744+00'
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xb5a85022bc62c44276b6523be4889f300a68e5e3f495e76e456b81a21d70541f',
  '019bc119-e271-7099-8f18-4e976ba7e37b', '019bc119-e271-7c4a-a507-2cbd1995690c', 'rate_limited',
  '0', '1', '2026-01-22 10:00:57.713+00', '2026-01-15 10:00:57.742744+00', NULL
);

-- The intent under the key released-worker.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e2b2-72ab-8f3a-03d0a0d1abb3', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'released-worker', NULL, '{}', 'automatic', NULL,
  NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:00:57.778+00', NULL
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x1d4aab9bb262da99da6fae4e60ba649ad719129730844009ac4752489161574b',
  '019bc119-e2b2-77ce-80a5-c43c20135529', 'POST /v1/payments',
  E'\\x13119ccb21839f27b33d092e5f15dbb05e5b52845b43dc566634786a407482d2', '1', 'released',
  '2026-01-15 10:00:57.849489+00', '6ba72881-d5f0-4eb3-957a-dfd60cd08f9a',
  '019bc119-e2b2-72ab-8f3a-03d0a0d1abb3', '019bc119-e2b2-7d14-834c-52c58dbd18d5',
  'req_ef23ee94-9092-44e3-b168-6c297291f0d9', '2026-01-15 10:00:57.778+00',
  '2026-01-22 10:00:57.778+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e2b2-7d14-834c-52c58dbd18d5',
  '019bc119-e2b2-72ab-8f3a-03d0a0d1abb3', 'charge',
  E'\\x1d4aab9bb262da99da6fae4e60ba649ad719129730844009ac4752489161574b', 'mock',
  'acct_payoncemock', '5640bca2-e02e-8b53-8819-113c76b4a5da', '2026-10-28.endive', '1', '2500',
  'myr', '1', NULL, NULL, '2026-01-15 10:00:57.778+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e2b2-7d14-834c-52c58dbd18d5', '1', 'send',
  'request', 'req_ef23ee94-9092-44e3-b168-6c297291f0d9', '2026-01-15 10:00:57.778+00', 'not_sent',
  'rate_limited', '2026-01-15 10:00:57.849489+00'
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x1d4aab9bb262da99da6fae4e60ba649ad719129730844009ac4752489161574b',
  '019bc119-e2b2-77ce-80a5-c43c20135529', '019bc119-e2b2-72ab-8f3a-03d0a0d1abb3', 'rate_limited',
  '0', '1', '2026-01-22 10:00:57.778+00', '2026-01-15 10:00:57.849489+00', NULL
);
