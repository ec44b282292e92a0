-- The intent under the key unknown-caller.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e3b5-7eef-8d82-970047646e0d', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'unknown-caller', NULL, '{}', 'automatic', NULL,
  NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:00:58.037+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'unknown-caller',
  '019bc119-e3b5-7eef-8d82-970047646e0d', '2026-01-15 10:00:58.037+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x70c7d28704916bd582c1f99831a51e8e8b95017cef3279175c564d90d68a16b2',
  '019bc119-e3b5-71ab-9c9b-5aa697e075b1', 'POST /v1/payments',
  E'\\x20e60bf488c554057b0ae01e90eb328f66b21bfe4c03e3bcf007515c327c8aef', '1', 'started',
  '2026-01-15 10:00:58.136422+00', 'ff3a6e6d-b1db-4f4a-a1a1-677918df1059',
  '019bc119-e3b5-7eef-8d82-970047646e0d', '019bc119-e3b5-79ce-855b-b16d8c34f592',
  'req_a22aa2ff-2fec-407a-ae31-f73dbfdfeca5', '2026-01-15 10:00:58.037+00',
  '2026-01-22 10:00:58.037+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e3b5-79ce-855b-b16d8c34f592',
  '019bc119-e3b5-7eef-8d82-970047646e0d', 'charge',
  E'\\x70c7d28704916bd582c1f99831a51e8e8b95017cef3279175c564d90d68a16b2', 'mock',
  'acct_payoncemock', '1bb47b2b-bce2-8971-b109-840227b74313', '2026-10-28.endive', '1', '2500',
  'myr', '1', '2026-01-15 22:00:58.037+00', NULL, '2026-01-15 10:00:58.037+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e3b5-79ce-855b-b16d8c34f592', '1', 'send',
  'request', 'req_a22aa2ff-2fec-407a-ae31-f73dbfdfeca5', '2026-01-15 10:00:58.037+00', 'unknown',
  'reset: ECONNRESET', '2026-01-15 10:00:58.136422+00'
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x70c7d28704916bd582c1f99831a51e8e8b95017cef3279175c564d90d68a16b2',
  '019bc119-e3b5-71ab-9c9b-5aa697e075b1', '019bc119-e3b5-7eef-8d82-970047646e0d',
  'reset: ECONNRESET', '1', '1', '2026-01-15 10:00:58.396422+00', '2026-01-15 10:00:58.136422+00',
  NULL
);

-- The intent under the key unknown-worker.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e442-7ca1-bd7e-affaede28b1a', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'unknown-worker', NULL, '{}', 'automatic', NULL,
  NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:00:58.178+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'unknown-worker',
  '019bc119-e442-7ca1-bd7e-affaede28b1a', '2026-01-15 10:00:58.178+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x92ba7d30218449372d500ae160c4bf297495fb3600d2cf25fde30f6f32427ba7',
  '019bc119-e442-7758-b84a-a23ce07de9e7', 'POST /v1/payments',
  E'\\x4cff29f2fdfa0418dd57c0a812c20478c2caca3b10758bf82d8c3b870a5fc3cf', '1', 'started',
  '2026-01-15 10:00:58.219323+00', 'a75619bb-42eb-434a-a0c2-a41a811373e6',
  '019bc119-e442-7ca1-bd7e-affaede28b1a', '019bc119-e442-71e7-83ed-d34cbe6021fc',
  'req_d9325dad-e56d-44bf-a861-1c1a1a3862c9', '2026-01-15 10:00:58.178+00',
  '2026-01-22 10:00:58.178+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e442-71e7-83ed-d34cbe6021fc',
  '019bc119-e442-7ca1-bd7e-affaede28b1a', 'charge',
  E'\\x92ba7d30218449372d500ae160c4bf297495fb3600d2cf25fde30f6f32427ba7', 'mock',
  'acct_payoncemock', 'e7b3e131-3e41-870e-afc4-07be847d3b27', '2026-10-28.endive', '1', '2500',
  'myr', '1', '2026-01-15 22:00:58.178+00', NULL, '2026-01-15 10:00:58.178+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e442-71e7-83ed-d34cbe6021fc', '1', 'send',
  'request', 'req_d9325dad-e56d-44bf-a861-1c1a1a3862c9', '2026-01-15 10:00:58.178+00', 'unknown',
  'reset: ECONNRESET', '2026-01-15 10:00:58.219323+00'
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x92ba7d30218449372d500ae160c4bf297495fb3600d2cf25fde30f6f32427ba7',
  '019bc119-e442-7758-b84a-a23ce07de9e7', '019bc119-e442-7ca1-bd7e-affaede28b1a',
  'reset: ECONNRESET', '1', '1', '2026-01-15 10:00:58.617323+00', '2026-01-15 10:00:58.219323+00',
  NULL
);
