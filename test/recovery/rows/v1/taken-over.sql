-- The intent under the key taken-over-caller.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-3ef3-754b-af43-166bb0d80bea', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'taken-over-caller', NULL, '{}', 'automatic', NULL,
  NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:00:15.859+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'taken-over-caller',
  '019bc119-3ef3-754b-af43-166bb0d80bea', '2026-01-15 10:00:15.859+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x9f5f806298e20ba313802916be9a5d53c3eefdbbb273b9560525f74014e9cb98',
  '019bc119-3ef3-711b-81df-62d8fa9a1752', 'POST /v1/payments',
  E'\\x34ae37b5f1981ac7ca843a18544cb15197810dd11636eeddb44d2ae9c831a321', '1', 'started',
  '2026-01-15 10:01:27.214698+00', '3b38bf81-4ee9-49be-9d2a-9577af9ee4d9',
  '019bc119-3ef3-754b-af43-166bb0d80bea', '019bc119-3ef3-79c3-954c-ec63bd769c06',
  'req_b39b690e-345b-4f82-906e-e2e08075e5c7', '2026-01-15 10:00:15.859+00',
  '2026-01-22 10:00:15.859+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-3ef3-79c3-954c-ec63bd769c06',
  '019bc119-3ef3-754b-af43-166bb0d80bea', 'charge',
  E'\\x9f5f806298e20ba313802916be9a5d53c3eefdbbb273b9560525f74014e9cb98', 'mock',
  'acct_payoncemock', '685dd87f-b719-88db-99cf-e2254e54dd36', '2026-10-28.endive', '1', '2500',
  'myr', '2', '2026-01-15 22:00:15.859+00', NULL, '2026-01-15 10:00:15.859+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-3ef3-79c3-954c-ec63bd769c06', '1', 'send',
  'request', 'req_b39b690e-345b-4f82-906e-e2e08075e5c7', '2026-01-15 10:00:15.859+00', NULL, NULL,
  NULL
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-3ef3-79c3-954c-ec63bd769c06', '2', 'send',
  'worker', 'wrk_bc623305-e444-47b5-b798-b08edbc6b30f', '2026-01-15 10:00:57.214698+00', NULL,
  NULL, NULL
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x9f5f806298e20ba313802916be9a5d53c3eefdbbb273b9560525f74014e9cb98',
  '019bc119-3ef3-711b-81df-62d8fa9a1752', '019bc119-3ef3-754b-af43-166bb0d80bea',
  'its lease ended', '0', '0', '2026-01-15 10:01:27.214698+00', '2026-01-15 10:00:57.158681+00',
  NULL
);

-- The intent under the key taken-over-worker.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-3fcd-768b-a4e5-d0007179b451', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'taken-over-worker', NULL, '{}', 'automatic', NULL,
  NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:00:16.077+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'taken-over-worker',
  '019bc119-3fcd-768b-a4e5-d0007179b451', '2026-01-15 10:00:16.077+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xe5df8802e59bdd4c72f787daadd0e918084523769ba5224a320b1e14b3e44570',
  '019bc119-3fcd-7d30-a9c1-0faa64e4df46', 'POST /v1/payments',
  E'\\x1dd4368c0265370e9cf818372fcc05d1e662937800e72610aa4e64a0e60cd10a', '1', 'started',
  '2026-01-15 10:01:27.192221+00', '26105208-9f46-4f9f-831d-4c0a1f2281ce',
  '019bc119-3fcd-768b-a4e5-d0007179b451', '019bc119-3fcd-7ecf-aad1-06c06f5e1290',
  'req_4338beaa-680f-4123-ae35-0b3eb6ea64d4', '2026-01-15 10:00:16.077+00',
  '2026-01-22 10:00:16.077+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-3fcd-7ecf-aad1-06c06f5e1290',
  '019bc119-3fcd-768b-a4e5-d0007179b451', 'charge',
  E'\\xe5df8802e59bdd4c72f787daadd0e918084523769ba5224a320b1e14b3e44570', 'mock',
  'acct_payoncemock', '6a7dc71b-ae00-864e-b61c-bc1aca42f07b', '2026-10-28.endive', '1', '2500',
  'myr', '2', '2026-01-15 22:00:16.077+00', NULL, '2026-01-15 10:00:16.077+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-3fcd-7ecf-aad1-06c06f5e1290', '1', 'send',
  'request', 'req_4338beaa-680f-4123-ae35-0b3eb6ea64d4', '2026-01-15 10:00:16.077+00', NULL, NULL,
  NULL
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-3fcd-7ecf-aad1-06c06f5e1290', '2', 'send',
  'worker', 'wrk_bc623305-e444-47b5-b798-b08edbc6b30f', '2026-01-15 10:00:57.192221+00', NULL,
  NULL, NULL
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xe5df8802e59bdd4c72f787daadd0e918084523769ba5224a320b1e14b3e44570',
  '019bc119-3fcd-7d30-a9c1-0faa64e4df46', '019bc119-3fcd-768b-a4e5-d0007179b451',
  'its lease ended', '0', '0', '2026-01-15 10:01:27.192221+00', '2026-01-15 10:00:57.158681+00',
  NULL
);
