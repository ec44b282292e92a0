-- The intent under the key released-to-its-end-worker.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e36d-739b-9f1c-20c996104587', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'released-to-its-end-worker', NULL, '{}',
  'automatic', NULL, NULL, NULL, 'mock', NULL, '0', '2026-01-15 10:00:57.965+00', NULL
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xcd702e890f04f7bfcad4e075a2a2f8dd3c075ee7b35b2c3d7b18d5fd1076e0d1',
  '019bc119-e36d-7dd6-a01b-571fe5f3a94a', 'POST /v1/payments',
  E'\\xa906f17bd8d8d5083e57f7c7b78ce04cb6dd1f7fe7694dde174a627adb4e3a35', '1', 'released',
  '2026-01-15 10:00:58.002228+00', 'fa98c542-efa1-41ad-bf0d-1e7d5c473688',
  '019bc119-e36d-739b-9f1c-20c996104587', '019bc119-e36d-7862-a21f-76edea010d8d',
  'req_1f329fa1-bc71-46d5-b680-108abf4da7ba', '2026-01-15 10:00:57.965+00',
  '2026-01-22 10:00:57.965+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e36d-7862-a21f-76edea010d8d',
  '019bc119-e36d-739b-9f1c-20c996104587', 'charge',
  E'\\xcd702e890f04f7bfcad4e075a2a2f8dd3c075ee7b35b2c3d7b18d5fd1076e0d1', 'mock',
  'acct_payoncemock', '25a460f7-fa16-8872-8bbd-a0a47fea5033', '2026-10-28.endive', '1', '2500',
  'myr', '1', NULL, NULL, '2026-01-15 10:00:57.965+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-e36d-7862-a21f-76edea010d8d', '1', 'send',
  'request', 'req_1f329fa1-bc71-46d5-b680-108abf4da7ba', '2026-01-15 10:00:57.965+00', 'not_sent',
  'rate_limited', '2026-01-15 10:00:58.002228+00'
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xcd702e890f04f7bfcad4e075a2a2f8dd3c075ee7b35b2c3d7b18d5fd1076e0d1',
  '019bc119-e36d-7dd6-a01b-571fe5f3a94a', '019bc119-e36d-739b-9f1c-20c996104587', 'rate_limited',
  '0', '1', '2026-01-22 10:00:57.965+00', '2026-01-15 10:00:58.002228+00', NULL
);
