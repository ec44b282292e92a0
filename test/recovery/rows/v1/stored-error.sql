-- The intent under the key stored-error-caller.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-f8b0-766e-a811-d3a50650e94b', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_test_error_not_charged', 'stored-error-caller', NULL,
  '{}', 'automatic', NULL, NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:01:03.408+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'stored-error-caller',
  '019bc119-f8b0-766e-a811-d3a50650e94b', '2026-01-15 10:01:03.408+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x2f2d5e54cb04e2d34d31d026b59d1cf4c2a429ba3dbdad226fe8c89509ad33d9',
  '019bc119-f8b0-73ba-9dca-187c4628794c', 'POST /v1/payments',
  E'\\x9cfc110a1193fb8b8fe97d7decd5700d2c1f8660e098edc948c1eb7af82582eb', '1', 'started',
  '2026-01-15 10:01:03.726429+00', 'a70827ac-fe43-4838-a5b8-f9c9aeb6a6af',
  '019bc119-f8b0-766e-a811-d3a50650e94b', '019bc119-f8b0-7949-adff-4d5650fb9760',
  'req_3bceac53-6a79-4da9-a11f-4c7e1d134d2c', '2026-01-15 10:01:03.408+00',
  '2026-01-22 10:01:03.408+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-f8b0-7949-adff-4d5650fb9760',
  '019bc119-f8b0-766e-a811-d3a50650e94b', 'charge',
  E'\\x2f2d5e54cb04e2d34d31d026b59d1cf4c2a429ba3dbdad226fe8c89509ad33d9', 'mock',
  'acct_payoncemock', '607cc9a1-cd76-8049-8879-d92380fe4be7', '2026-10-28.endive', '1', '2500',
  'myr', '2', '2026-01-15 22:01:03.408+00', '2026-01-15 10:01:03.726429+00',
  '2026-01-15 10:01:03.408+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-f8b0-7949-adff-4d5650fb9760', '1', 'send',
  'request', 'req_3bceac53-6a79-4da9-a11f-4c7e1d134d2c', '2026-01-15 10:01:03.408+00', 'unknown',
  'server-error: answered 500, api_error', '2026-01-15 10:01:03.517782+00'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-f8b0-7949-adff-4d5650fb9760', '2', 'send',
  'request', 'req_8bf48f41-fd9a-4214-bc5d-ea579ae5c245', '2026-01-15 10:01:03.668156+00',
  'unknown', 'stored-error: answered 500, api_error', '2026-01-15 10:01:03.726429+00'
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x2f2d5e54cb04e2d34d31d026b59d1cf4c2a429ba3dbdad226fe8c89509ad33d9',
  '019bc119-f8b0-73ba-9dca-187c4628794c', '019bc119-f8b0-766e-a811-d3a50650e94b',
  'stored-error: answered 500, api_error', '1', '2', '2026-01-15 10:01:05.198429+00',
  '2026-01-15 10:01:03.517782+00', NULL
);

-- The intent under the key stored-error-worker.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fa2d-73b6-b1e4-08ae8738ecd4', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_test_error_not_charged', 'stored-error-worker', NULL,
  '{}', 'automatic', NULL, NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:01:03.789+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'stored-error-worker',
  '019bc119-fa2d-73b6-b1e4-08ae8738ecd4', '2026-01-15 10:01:03.789+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xe9de67b0ead039438a748f896e378b5b5e11a9f16495b6fc8e106ea1b5638db4',
  '019bc119-fa2d-7243-a6da-9cbc66675649', 'POST /v1/payments',
  E'\\xb412b68957949e36aff3099408f3f3c6ac4253f3b925d4df4a29fc6dfb4f65da', '1', 'started',
  '2026-01-15 10:01:03.973034+00', '55b9911e-4bb0-4ad5-a7b8-2da6c8d05ca3',
  '019bc119-fa2d-73b6-b1e4-08ae8738ecd4', '019bc119-fa2d-7f37-b8f8-7b39706d4fef',
  'req_82fc04e9-d5c1-42b9-82c0-f39061970a11', '2026-01-15 10:01:03.789+00',
  '2026-01-22 10:01:03.789+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fa2d-7f37-b8f8-7b39706d4fef',
  '019bc119-fa2d-73b6-b1e4-08ae8738ecd4', 'charge',
  E'\\xe9de67b0ead039438a748f896e378b5b5e11a9f16495b6fc8e106ea1b5638db4', 'mock',
  'acct_payoncemock', '248b754d-d7e1-85d1-a327-36c97d83d086', '2026-10-28.endive', '1', '2500',
  'myr', '2', '2026-01-15 22:01:03.789+00', '2026-01-15 10:01:03.973034+00',
  '2026-01-15 10:01:03.789+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fa2d-7f37-b8f8-7b39706d4fef', '1', 'send',
  'request', 'req_82fc04e9-d5c1-42b9-82c0-f39061970a11', '2026-01-15 10:01:03.789+00', 'unknown',
  'server-error: answered 500, api_error', '2026-01-15 10:01:03.846703+00'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fa2d-7f37-b8f8-7b39706d4fef', '2', 'send',
  'request', 'req_33ca055d-0020-4972-b781-3e0da75ae861', '2026-01-15 10:01:03.934724+00',
  'unknown', 'stored-error: answered 500, api_error', '2026-01-15 10:01:03.973034+00'
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xe9de67b0ead039438a748f896e378b5b5e11a9f16495b6fc8e106ea1b5638db4',
  '019bc119-fa2d-7243-a6da-9cbc66675649', '019bc119-fa2d-73b6-b1e4-08ae8738ecd4',
  'stored-error: answered 500, api_error', '1', '2', '2026-01-15 10:01:05.183034+00',
  '2026-01-15 10:01:03.846703+00', NULL
);
