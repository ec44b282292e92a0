-- The intent under the key news-received-worker.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e495-7fba-be83-1ab9f47207db', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'news-received-worker', NULL, '{}', 'automatic',
  NULL, NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:00:58.261+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'news-received-worker',
  '019bc119-e495-7fba-be83-1ab9f47207db', '2026-01-15 10:00:58.261+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xac7ecbf5e948b1cd20ed4044ffe7dc7fa97cfea3b5c828bdade53069b85871ae',
  '019bc119-e495-7bd9-ba1e-9f57ff32909e', 'POST /v1/payments',
  E'\\xbd229f0083de0c7813f15a36eca35c9711b6f365785142197dbebd25d488d3ca', '1', 'started',
  '2026-01-15 10:01:03.298837+00', '7b4c9c29-9daf-4bcb-8a23-7ba541bf2905',
  '019bc119-e495-7fba-be83-1ab9f47207db', '019bc119-e495-7fde-8613-619ff33493da',
  'req_a2905d38-7d02-4f30-b633-c984a0b284df', '2026-01-15 10:00:58.261+00',
  '2026-01-22 10:00:58.261+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e495-7fde-8613-619ff33493da',
  '019bc119-e495-7fba-be83-1ab9f47207db', 'charge',
  E'\\xac7ecbf5e948b1cd20ed4044ffe7dc7fa97cfea3b5c828bdade53069b85871ae', 'mock',
  'acct_payoncemock', '8c6a1ec8-e338-805b-a2c3-3c4adcdf9ff8', '2026-10-28.endive', '1', '2500',
  'myr', '1', '2026-01-15 22:00:58.261+00', NULL, '2026-01-15 10:00:58.261+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e495-7fde-8613-619ff33493da', '1', 'send',
  'request', 'req_a2905d38-7d02-4f30-b633-c984a0b284df', '2026-01-15 10:00:58.261+00', 'unknown',
  'late: Error', '2026-01-15 10:01:03.298837+00'
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xac7ecbf5e948b1cd20ed4044ffe7dc7fa97cfea3b5c828bdade53069b85871ae',
  '019bc119-e495-7bd9-ba1e-9f57ff32909e', '019bc119-e495-7fba-be83-1ab9f47207db', 'late: Error',
  '1', '1', '2026-01-15 10:01:03.503837+00', '2026-01-15 10:01:03.298837+00', NULL
);

-- News from the processor.
INSERT INTO webhook_inbox (
  processor_name, event_id, type, object_id, payload, body_hash, state, reason, tries, waits,
  next_try_at, deliveries, first_delivered_at, last_delivered_at, stored_at, applied_at,
  account_id, payment_id
) VALUES (
  'mock', 'evt_v1_received', 'payment_intent.succeeded', 'pi_jVLYgVQvaAMaSjhAYXIjXm4v',
  '{"id":"evt_v1_received","object":"event","created":1796183192,"type":"payment_intent.succeeded","data":{"object":{"id":"pi_jVLYgVQvaAMaSjhAYXIjXm4v","object":"payment_intent","metadata":{"payonce_account":"01a234dc-41fe-7782-8e35-7a9d412db9a6","payonce_intent":"8c6a1ec8-e338-805b-a2c3-3c4adcdf9ff8"}}}}',
  E'\\xb8c4b930be342955045f5c1b073ff8fb07c73c41409d2cfcfd13052c354c88f8', 'received', NULL, '0',
  '0', '2026-01-15 10:01:35.255454+00', '1', '2026-01-15 10:01:35.255454+00',
  '2026-01-15 10:01:35.255454+00', '2026-01-15 10:01:35.255454+00', NULL, NULL, NULL
);
