-- The intent under the key claimed-caller.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc11a-7547-7660-91c1-1a63628e308e', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'claimed-caller', NULL, '{}', 'automatic', NULL,
  NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:01:35.303+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'claimed-caller',
  '019bc11a-7547-7660-91c1-1a63628e308e', '2026-01-15 10:01:35.303+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xc5aed64cfaffcdd1b0e40f3f245a2a778c87e674480e9d4954eb7ecf4a17c684',
  '019bc11a-7547-7356-bc1d-7f07a9dd75e8', 'POST /v1/payments',
  E'\\x128d1c9c599256af9dab4cc3a4599a6ea1d165ac65689e0b5b56bfe2f5f06a65', '1', 'started',
  '2026-01-15 10:02:05.303+00', 'f4665548-77d1-4266-b656-b5a299cccd45',
  '019bc11a-7547-7660-91c1-1a63628e308e', '019bc11a-7547-7ee7-b803-2a1d30418e26',
  'req_638961b7-6724-453d-a50b-5de7d4ff6b75', '2026-01-15 10:01:35.303+00',
  '2026-01-22 10:01:35.303+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc11a-7547-7ee7-b803-2a1d30418e26',
  '019bc11a-7547-7660-91c1-1a63628e308e', 'charge',
  E'\\xc5aed64cfaffcdd1b0e40f3f245a2a778c87e674480e9d4954eb7ecf4a17c684', 'mock',
  'acct_payoncemock', '4a9284c8-d8f4-8e9c-acc8-c54205788e27', '2026-10-28.endive', '1', '2500',
  'myr', '1', '2026-01-15 22:01:35.303+00', NULL, '2026-01-15 10:01:35.303+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc11a-7547-7ee7-b803-2a1d30418e26', '1', 'send',
  'request', 'req_638961b7-6724-453d-a50b-5de7d4ff6b75', '2026-01-15 10:01:35.303+00', NULL, NULL,
  NULL
);

-- The intent under the key claimed-worker.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc11a-7543-7c19-86b1-9c9d59c8ea14', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'claimed-worker', NULL, '{}', 'automatic', NULL,
  NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:01:35.299+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'claimed-worker',
  '019bc11a-7543-7c19-86b1-9c9d59c8ea14', '2026-01-15 10:01:35.299+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xb4fbec746dcb7753201836cfe2dead45a525f829519e69966efc8d223072a3ce',
  '019bc11a-7543-7edc-9808-41cb3fdf54a6', 'POST /v1/payments',
  E'\\xe0ce5cb775cef719655b8ccbbf380de86d95e9ee252773e4245decf6e957f45a', '1', 'started',
  '2026-01-15 10:02:05.299+00', '4448002b-95a9-443e-9df6-9b23dc7f5667',
  '019bc11a-7543-7c19-86b1-9c9d59c8ea14', '019bc11a-7543-715e-914b-48eab2238122',
  'req_80554db9-3f33-40d3-ac09-08d2d29a061e', '2026-01-15 10:01:35.299+00',
  '2026-01-22 10:01:35.299+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc11a-7543-715e-914b-48eab2238122',
  '019bc11a-7543-7c19-86b1-9c9d59c8ea14', 'charge',
  E'\\xb4fbec746dcb7753201836cfe2dead45a525f829519e69966efc8d223072a3ce', 'mock',
  'acct_payoncemock', '9306d991-1058-8ebb-88de-c24f452d9f1b', '2026-10-28.endive', '1', '2500',
  'myr', '1', '2026-01-15 22:01:35.299+00', NULL, '2026-01-15 10:01:35.299+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc11a-7543-715e-914b-48eab2238122', '1', 'send',
  'request', 'req_80554db9-3f33-40d3-ac09-08d2d29a061e', '2026-01-15 10:01:35.299+00', NULL, NULL,
  NULL
);
