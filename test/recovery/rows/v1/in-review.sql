-- The intent under the key in-review-caller.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-085a-732b-90e0-7f063d7882fe', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'in-review-caller', NULL, '{}', 'automatic', NULL,
  NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:00:01.882+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'in-review-caller',
  '019bc119-085a-732b-90e0-7f063d7882fe', '2026-01-15 10:00:01.882+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x53dddf5cf338702aa40e183ce19a291969274b913dbd22005f0710303a216977',
  '019bc119-085a-7385-b07d-e3e2299974a3', 'POST /v1/payments',
  E'\\x6b014fb31a6593b5d155b6819b9b2eb463d968470580b5026ef3fee21ab20863', '1', 'started',
  '2026-01-15 10:00:02.039243+00', '1d7a65c7-a703-4690-a529-99a99a207630',
  '019bc119-085a-732b-90e0-7f063d7882fe', '019bc119-085a-7c95-b8be-90d31106edcb',
  'req_d3a37a72-5c3a-44a6-b5be-96dd86ed9fac', '2026-01-15 10:00:01.882+00',
  '2026-01-22 10:00:01.882+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-085a-7c95-b8be-90d31106edcb',
  '019bc119-085a-732b-90e0-7f063d7882fe', 'charge',
  E'\\x53dddf5cf338702aa40e183ce19a291969274b913dbd22005f0710303a216977', 'mock',
  'acct_payoncemock', '48644cb5-a635-8e2f-ace4-b80b97c382b0', '2026-10-28.endive', '1', '2500',
  'myr', '1', '2026-01-15 22:00:01.882+00', NULL, '2026-01-15 10:00:01.882+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-085a-7c95-b8be-90d31106edcb', '1', 'send',
  'request', 'req_d3a37a72-5c3a-44a6-b5be-96dd86ed9fac', '2026-01-15 10:00:01.882+00', 'unknown',
  'reset: ECONNRESET', '2026-01-15 10:00:02.039243+00'
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x53dddf5cf338702aa40e183ce19a291969274b913dbd22005f0710303a216977',
  '019bc119-085a-7385-b07d-e3e2299974a3', '019bc119-085a-732b-90e0-7f063d7882fe',
  'reset: ECONNRESET', '1', '1', '2026-01-15 11:00:02.039243+00', '2026-01-15 10:00:02.039243+00',
  '2026-01-15 10:00:02.039243+00'
);

-- The intent under the key in-review-worker.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-0a0e-75d5-a9bb-f0bcd921b372', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'in-review-worker', NULL, '{}', 'automatic', NULL,
  NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:00:02.318+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'in-review-worker',
  '019bc119-0a0e-75d5-a9bb-f0bcd921b372', '2026-01-15 10:00:02.318+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x1c17c77032bb97ee98f42318311b1b5573f8241a4cbe829a20d3ce756a7dcb7a',
  '019bc119-0a0e-7871-bc5f-2563fe153e7a', 'POST /v1/payments',
  E'\\xfbfbe973f189bc18f7a8a8c6956d5de51bbcea2f47f36e91deac2ff19dbfebfd', '1', 'started',
  '2026-01-15 10:00:02.441905+00', 'bd443d9a-67de-43ba-912b-e09e9f6557d0',
  '019bc119-0a0e-75d5-a9bb-f0bcd921b372', '019bc119-0a0e-756f-8202-44dfdf271141',
  'req_142dc830-18b0-4af6-8b59-79376fd28f9d', '2026-01-15 10:00:02.318+00',
  '2026-01-22 10:00:02.318+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-0a0e-756f-8202-44dfdf271141',
  '019bc119-0a0e-75d5-a9bb-f0bcd921b372', 'charge',
  E'\\x1c17c77032bb97ee98f42318311b1b5573f8241a4cbe829a20d3ce756a7dcb7a', 'mock',
  'acct_payoncemock', 'b3e1a47e-09a2-8785-b5cb-55ab34a28fe5', '2026-10-28.endive', '1', '2500',
  'myr', '1', '2026-01-15 22:00:02.318+00', NULL, '2026-01-15 10:00:02.318+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-0a0e-756f-8202-44dfdf271141', '1', 'send',
  'request', 'req_142dc830-18b0-4af6-8b59-79376fd28f9d', '2026-01-15 10:00:02.318+00', 'unknown',
  'reset: ECONNRESET', '2026-01-15 10:00:02.441905+00'
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x1c17c77032bb97ee98f42318311b1b5573f8241a4cbe829a20d3ce756a7dcb7a',
  '019bc119-0a0e-7871-bc5f-2563fe153e7a', '019bc119-0a0e-75d5-a9bb-f0bcd921b372',
  'reset: ECONNRESET', '1', '1', '2026-01-15 11:00:02.441905+00', '2026-01-15 10:00:02.441905+00',
  '2026-01-15 10:00:02.441905+00'
);
