-- The intent under the key tombstone-caller.
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x5dfb75c18fd547c7a2340f96c1806b070c089f3cbdc1e39cc1d18eec0bf7cd25',
  '019bc119-fd15-74c7-916a-88edc414e3b4', 'POST /v1/payments',
  E'\\x0000000000000000000000000000000000000000000000000000000000000000', '0', 'canceled',
  '2026-01-15 10:01:04.533737+00', '2a97006e-e408-4497-bf77-b81d7272328a', NULL, NULL,
  'req_f49a2ac2-eaad-4f37-9dc9-ba77e7c92fcf', '2026-01-15 10:01:04.533737+00',
  '2026-01-15 10:01:04.533737+00', NULL, NULL
);
