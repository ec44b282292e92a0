-- The intent under the key canceled-caller.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fc59-7faa-be1f-cccbedb73f87', 'canceled',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'canceled-caller', NULL, '{}', 'automatic', NULL,
  NULL, NULL, 'mock', NULL, '1', '2026-01-15 10:01:04.345+00', '2026-01-15 10:01:04.454+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x633131451a173349c7774e5a5589d7fe4bea0c57a228e1a66aa27e29a7f83736',
  '019bc119-fc59-7343-b41a-9e5823209d89', 'POST /v1/payments',
  E'\\x69b6310ac56e18999e1edc6e08c511dd1d051fb5c882f19c49851eda69b55c45', '1', 'canceled',
  '2026-01-15 10:01:04.470848+00', '627b9c94-2662-4929-ba4e-10bce5f2d317',
  '019bc119-fc59-7faa-be1f-cccbedb73f87', '019bc119-fc59-7e20-a215-fca3a9f9117f',
  'req_ace6fc58-1d8e-43f4-b444-eca612e9b8bc', '2026-01-15 10:01:04.345+00',
  '2026-01-22 10:01:04.345+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fc59-7e20-a215-fca3a9f9117f',
  '019bc119-fc59-7faa-be1f-cccbedb73f87', 'charge',
  E'\\x633131451a173349c7774e5a5589d7fe4bea0c57a228e1a66aa27e29a7f83736', 'mock',
  'acct_payoncemock', '70d78fe1-e459-8461-866b-59bef3c5b264', '2026-10-28.endive', '1', '2500',
  'myr', '0', NULL, NULL, '2026-01-15 10:01:04.345+00', 'true'
);
INSERT INTO outbox_events (
  account_id, payment_id, sequence, id, type, payload, created_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fc59-7faa-be1f-cccbedb73f87', '1',
  '019bc119-fcd6-7f23-a4bc-5318e137f887', 'payment.canceled',
  '{"id":"019bc119-fc59-7faa-be1f-cccbedb73f87","object":"payment","status":"canceled","amount":2500,"amount_captured":0,"amount_refunded":0,"amount_disputed":0,"currency":"myr","payment_method":"pm_1","order_id":"canceled-caller","description":null,"metadata":{},"capture":"automatic","failure":null,"unresolved":null,"processor":{"name":"mock","id":null},"created_at":"2026-01-15T10:01:04.345Z","settled_at":"2026-01-15T10:01:04.454Z"}',
  '2026-01-15 10:01:04.470848+00'
);
