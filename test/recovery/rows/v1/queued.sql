-- The intent under the key queued-caller.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fb21-7eff-b670-6a7cf31fa456', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'queued-caller', NULL, '{}', 'automatic', NULL, NULL,
  NULL, 'mock', NULL, '0', '2026-01-15 10:01:04.033+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'queued-caller', '019bc119-fb21-7eff-b670-6a7cf31fa456',
  '2026-01-15 10:01:04.033+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x7c8e1b49e6f0b35cd5f8acb189605d8beb5b110e1bea45dbfa28b5fa83c0452f',
  '019bc119-fb21-78db-815a-92c1500d4bfb', 'POST /v1/payments',
  E'\\x46a5652a2c5c158730e43f09bbd66a9e961b56162823e5b0e6eeb992daf4330e', '1', 'queued',
  '2026-01-15 10:01:04.033+00', 'e4e9a2ac-a40c-460c-8ce0-ff989ee11c42',
  '019bc119-fb21-7eff-b670-6a7cf31fa456', '019bc119-fb21-7bdf-b3e5-91876a56b430',
  'req_0c143629-a689-4f85-83dd-3798a89440b9', '2026-01-15 10:01:04.033+00',
  '2026-01-22 10:01:04.033+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fb21-7bdf-b3e5-91876a56b430',
  '019bc119-fb21-7eff-b670-6a7cf31fa456', 'charge',
  E'\\x7c8e1b49e6f0b35cd5f8acb189605d8beb5b110e1bea45dbfa28b5fa83c0452f', 'mock',
  'acct_payoncemock', 'ab1fcff1-f598-8502-a9e5-d1ab1643448a', '2026-10-28.endive', '1', '2500',
  'myr', '0', NULL, NULL, '2026-01-15 10:01:04.033+00', 'true'
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x7c8e1b49e6f0b35cd5f8acb189605d8beb5b110e1bea45dbfa28b5fa83c0452f',
  '019bc119-fb21-78db-815a-92c1500d4bfb', '019bc119-fb21-7eff-b670-6a7cf31fa456', 'queued', '0',
  '0', '2026-01-15 10:01:04.033+00', '2026-01-15 10:01:04.033+00', NULL
);

-- The intent under the key queued-worker.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fb30-70d2-a55b-8b648db5a655', 'pending',
  '2500', 'myr', '0', '0', '0', '0', 'pm_1', 'queued-worker', NULL, '{}', 'automatic', NULL, NULL,
  NULL, 'mock', NULL, '0', '2026-01-15 10:01:04.048+00', NULL
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'queued-worker', '019bc119-fb30-70d2-a55b-8b648db5a655',
  '2026-01-15 10:01:04.048+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x6f59793c5aea87490f8038a94e933e65fab90e8e47368a11aef4651fb7496cb3',
  '019bc119-fb30-7bb6-bfb4-f67ada81dfe0', 'POST /v1/payments',
  E'\\x9e3af9e2c8cd210a1a92753e3de26407a46c6c51c65faf99a677fadd6cdaf62e', '1', 'queued',
  '2026-01-15 10:01:04.048+00', 'b577ee1b-4a93-411e-a821-5f1c88df4648',
  '019bc119-fb30-70d2-a55b-8b648db5a655', '019bc119-fb30-7e61-9c20-5fee611316fe',
  'req_f496b058-7c22-4886-b122-335191119d70', '2026-01-15 10:01:04.048+00',
  '2026-01-22 10:01:04.048+00', NULL, '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fb30-7e61-9c20-5fee611316fe',
  '019bc119-fb30-70d2-a55b-8b648db5a655', 'charge',
  E'\\x6f59793c5aea87490f8038a94e933e65fab90e8e47368a11aef4651fb7496cb3', 'mock',
  'acct_payoncemock', 'd0d3529d-e072-8933-82b0-d699a18c0ac8', '2026-10-28.endive', '1', '2500',
  'myr', '0', NULL, NULL, '2026-01-15 10:01:04.048+00', 'true'
);
INSERT INTO unresolved (
  account_id, key_hash, claim_id, payment_id, reason, tries, waits, next_try_at, since, review_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x6f59793c5aea87490f8038a94e933e65fab90e8e47368a11aef4651fb7496cb3',
  '019bc119-fb30-7bb6-bfb4-f67ada81dfe0', '019bc119-fb30-70d2-a55b-8b648db5a655', 'queued', '0',
  '0', '2026-01-15 10:01:04.048+00', '2026-01-15 10:01:04.048+00', NULL
);
