-- The intent under the key queued-again-caller.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e11a-7863-a14c-ab8142f4dadf', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'queued-again-caller', NULL, '{}', 'automatic', NULL,
  NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:00:57.37+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'queued-again-caller',
  '019bc119-e11a-7863-a14c-ab8142f4dadf', '2026-01-15 10:00:57.37+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xea325a7d767a9cf522b42a8e3455ad88a41fe1422f080a8f3c55d856b0e206f2',
  '019bc119-e11a-73a8-8868-fda8a4d1a820', 'POST /v1/payments',
  E'\\x72586e11ff1e8ddffbdf81d2cfd50ff8ddaaecf20aa0301b2750743361cde0bb', '1', 'queued',
  '2026-01-15 10:00:57.666621+00', '963cecae-d7b1-4ec1-9bc2-cfa5958ab60e',
  '019bc119-e11a-7863-a14c-ab8142f4dadf', '019bc119-e11a-7a36-abdc-8579142ccff8',
  'req_e8049215-14dd-4025-acde-48404fffbf71', '2026-01-15 10:00:57.37+00',
  '2026-01-22 10:00:57.37+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e11a-7a36-abdc-8579142ccff8',
  '019bc119-e11a-7863-a14c-ab8142f4dadf', 'charge',
  E'\\xea325a7d767a9cf522b42a8e3455ad88a41fe1422f080a8f3c55d856b0e206f2', 'mock',
  'acct_payoncemock', '6b71c905-1824-88bb-ad38-1f3a59bf6ec3', '2026-10-28.endive', '1', '2500',
  'myr', '1', NULL, NULL, '2026-01-15 10:00:57.37+00', 'true'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e11a-7a36-abdc-8579142ccff8', '1', 'send',
  'worker', 'wrk_614eb440-f843-4208-9420-a9db364b9145', '2026-01-15 10:00:57.552044+00',
  'not_sent', 'rate_limited', '2026-01-15 10:00:57.666621+00'
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xea325a7d767a9cf522b42a8e3455ad88a41fe1422f080a8f3c55d856b0e206f2',
  '019bc119-e11a-73a8-8868-fda8a4d1a820', '019bc119-e11a-7863-a14c-ab8142f4dadf', 'rate_limited',
  '0', '1', '2026-01-15 10:00:58.666621+00', '2026-01-15 10:00:57.37+00', NULL
);

-- The intent under the key queued-again-worker.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e178-7263-a30a-f85652bfe850', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'queued-again-worker', NULL, '{}', 'automatic', NULL,
  NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:00:57.464+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'queued-again-worker',
  '019bc119-e178-7263-a30a-f85652bfe850', '2026-01-15 10:00:57.464+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xce1aecb23611dd1b54db0a3c03d21688dd744c007c991ab28cedc7fa38512475',
  '019bc119-e178-70f7-ae04-8f701a0c2a1f', 'POST /v1/payments',
  E'\\xf80cead6a82e0956e720dde1061220358f864105db85935d222f9074209a2eb9', '1', 'queued',
  '2026-01-15 10:00:57.658452+00', '6cd7d68b-68ff-47b1-8b8e-f53655ef2407',
  '019bc119-e178-7263-a30a-f85652bfe850', '019bc119-e178-7319-8068-80823efcfe71',
  'req_bf9c80f6-f8b9-417c-88b5-a081b9db8925', '2026-01-15 10:00:57.464+00',
  '2026-01-22 10:00:57.464+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e178-7319-8068-80823efcfe71',
  '019bc119-e178-7263-a30a-f85652bfe850', 'charge',
  E'\\xce1aecb23611dd1b54db0a3c03d21688dd744c007c991ab28cedc7fa38512475', 'mock',
  'acct_payoncemock', 'd643ef52-f957-8a08-8752-cebc457d7761', '2026-10-28.endive', '1', '2500',
  'myr', '1', NULL, NULL, '2026-01-15 10:00:57.464+00', 'true'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e178-7319-8068-80823efcfe71', '1', 'send',
  'worker', 'wrk_614eb440-f843-4208-9420-a9db364b9145', '2026-01-15 10:00:57.558412+00',
  'not_sent', 'rate_limited', '2026-01-15 10:00:57.658452+00'
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xce1aecb23611dd1b54db0a3c03d21688dd744c007c991ab28cedc7fa38512475',
  '019bc119-e178-70f7-ae04-8f701a0c2a1f', '019bc119-e178-7263-a30a-f85652bfe850', 'rate_limited',
  '0', '1', '2026-01-15 10:00:58.658452+00', '2026-01-15 10:00:57.464+00', NULL
);
