-- The intent under the key finished-caller.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fb92-7393-a56e-2690653ca465', 'succeeded',
  '2500', 'myr', '2500', '0', '0', '0', 'pm_1', 'finished-caller', NULL, '{}', 'automatic', NULL,
  NULL, NULL, 'mock', 'pi_RDjnD2sHYKrL3MQfGKHUv9c8', '1', '2026-01-15 10:01:04.146+00',
  '2026-01-15 10:01:04.188+00'
);
INSERT INTO order_slots (
  account_id, order_id, payment_id, taken_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'finished-caller',
  '019bc119-fb92-7393-a56e-2690653ca465', '2026-01-15 10:01:04.146+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xafdbc7aed3f701a34d190efc31d6bd786ab3b5300863b99fdc9529bf555937c9',
  '019bc119-fb92-7f21-8ad5-4d1457919c9f', 'POST /v1/payments',
  E'\\x3cebc912f70843242ed99102e229e9d533dcedee9a337cae956dd85b1cac406a', '1', 'finished',
  '2026-01-15 10:01:04.190301+00', 'e891a690-fb77-48bc-81c7-ffd796c2def5',
  '019bc119-fb92-7393-a56e-2690653ca465', '019bc119-fb92-79fd-ba4b-57f320e86057',
  'req_e3ae92ed-a734-41c6-96bd-9677c4ce9244', '2026-01-15 10:01:04.146+00',
  '2026-01-22 10:01:04.146+00', '2026-01-15', '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fb92-79fd-ba4b-57f320e86057',
  '019bc119-fb92-7393-a56e-2690653ca465', 'charge',
  E'\\xafdbc7aed3f701a34d190efc31d6bd786ab3b5300863b99fdc9529bf555937c9', 'mock',
  'acct_payoncemock', '5bbdc826-a644-8567-a776-7ed18984135f', '2026-10-28.endive', '1', '2500',
  'myr', '1', '2026-01-15 22:01:04.146+00', NULL, '2026-01-15 10:01:04.146+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fb92-79fd-ba4b-57f320e86057', '1', 'send',
  'request', 'req_e3ae92ed-a734-41c6-96bd-9677c4ce9244', '2026-01-15 10:01:04.146+00',
  'succeeded', NULL, '2026-01-15 10:01:04.190301+00'
);
INSERT INTO ledger_entries (
  id, account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount,
  currency, effective_at, recorded_at, recorded_xid
) VALUES (
  '019bc119-fbbe-7545-9471-5c2976ce80bb', '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  '019bc119-fb92-7393-a56e-2690653ca465', '019bc119-fb92-7393-a56e-2690653ca465', 'charge',
  'processor_clearing', 'merchant_payable', '2500', 'myr', '2026-01-15 10:01:04.188+00',
  '2026-01-15 10:01:04.190301+00', '860'
);
INSERT INTO ledger_entries (
  id, account_id, payment_id, source_id, entry_kind, debit_account, credit_account, amount,
  currency, effective_at, recorded_at, recorded_xid
) VALUES (
  '019bc119-fbbe-7fd1-b793-bfc137a03533', '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  '019bc119-fb92-7393-a56e-2690653ca465', '019bc119-fb92-7393-a56e-2690653ca465', 'processor_fee',
  'processor_fees', 'processor_clearing', '103', 'myr', '2026-01-15 10:01:04.188+00',
  '2026-01-15 10:01:04.190301+00', '860'
);
INSERT INTO outbox_events (
  account_id, payment_id, sequence, id, type, payload, created_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fb92-7393-a56e-2690653ca465', '1',
  '019bc119-fbbe-77a1-a83b-330e955b6cde', 'payment.succeeded',
  '{"id":"019bc119-fb92-7393-a56e-2690653ca465","object":"payment","status":"succeeded","amount":2500,"amount_captured":2500,"amount_refunded":0,"amount_disputed":0,"currency":"myr","payment_method":"pm_1","order_id":"finished-caller","description":null,"metadata":{},"capture":"automatic","failure":null,"unresolved":null,"processor":{"name":"mock","id":"pi_RDjnD2sHYKrL3MQfGKHUv9c8"},"created_at":"2026-01-15T10:01:04.146Z","settled_at":"2026-01-15T10:01:04.188Z"}',
  '2026-01-15 10:01:04.190301+00'
);
INSERT INTO saved_answers (
  answer_day, account_id, key_hash, status, content_type, location, body
) VALUES (
  '2026-01-15', '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\xafdbc7aed3f701a34d190efc31d6bd786ab3b5300863b99fdc9529bf555937c9', '201',
  'application/json; charset=utf-8', '/v1/payments/019bc119-fb92-7393-a56e-2690653ca465',
  E'\\x7b226964223a2230313962633131392d666239322d373339332d613536652d323639303635336361343635222c226f626a656374223a227061796d656e74222c22737461747573223a22737563636565646564222c22616d6f756e74223a323530302c22616d6f756e745f6361707475726564223a323530302c22616d6f756e745f726566756e646564223a302c22616d6f756e745f6469737075746564223a302c2263757272656e6379223a226d7972222c227061796d656e745f6d6574686f64223a22706d5f31222c226f726465725f6964223a2266696e69736865642d63616c6c6572222c226465736372697074696f6e223a6e756c6c2c226d65746164617461223a7b7d2c2263617074757265223a226175746f6d61746963222c226661696c757265223a6e756c6c2c22756e7265736f6c766564223a6e756c6c2c2270726f636573736f72223a7b226e616d65223a226d6f636b222c226964223a2270695f52446a6e44327348594b724c334d5166474b485576396338227d2c22637265617465645f6174223a22323032362d30312d31355431303a30313a30342e3134365a222c22736574746c65645f6174223a22323032362d30312d31355431303a30313a30342e3138385a227d'
);

-- News from the processor.
INSERT INTO webhook_inbox (
  processor_name, event_id, type, object_id, payload, body_hash, state, reason, tries, waits,
  next_try_at, deliveries, first_delivered_at, last_delivered_at, stored_at, applied_at,
  account_id, payment_id
) VALUES (
  'mock', 'evt_v1_applied', 'payment_intent.succeeded', 'pi_RDjnD2sHYKrL3MQfGKHUv9c8',
  '{"id":"evt_v1_applied","object":"event","created":1796183191,"type":"payment_intent.succeeded","data":{"object":{"id":"pi_RDjnD2sHYKrL3MQfGKHUv9c8","object":"payment_intent","metadata":{"payonce_account":"01a234dc-41fe-7782-8e35-7a9d412db9a6","payonce_intent":"5bbdc826-a644-8567-a776-7ed18984135f"}}}}',
  E'\\x43632493ff10f3a6631d03cf1944de9cbef37dfe01033f5bd2f0fd02f61782b0', 'applied',
  'as recorded', '0', '0', NULL, '1', '2026-01-15 10:01:04.602059+00',
  '2026-01-15 10:01:04.602059+00', '2026-01-15 10:01:04.602059+00',
  '2026-01-15 10:01:04.743403+00', '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  '019bc119-fb92-7393-a56e-2690653ca465'
);
