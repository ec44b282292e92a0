-- The intent under the key late-success-caller.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fd87-7e2c-be08-9ece360e183f', 'failed',
  '2500', 'myr', '0', '0', '0', '0', 'pm_card_chargeDeclined', 'late-success-caller', NULL, '{}',
  'automatic', 'card_declined', 'Your card was declined.', 'generic_decline', 'mock',
  'pi_qjs7tBv8dhwY3GcVTmxuukUS', '1', '2026-01-15 10:01:04.647+00', '2026-01-15 10:01:04.672+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x011afe74c12462d12b8b1c02cd4a50e123905167013a5a8d51691269abddd096',
  '019bc119-fd87-749a-bd57-90aee487658f', 'POST /v1/payments',
  E'\\xe056d0a845abe2bc6767d88f6bd62755053d5ea5c79c44970eaeb97d6c9cb873', '1', 'finished',
  '2026-01-15 10:01:04.673234+00', 'f0722511-141e-4894-94e7-4eb3a8d2a38b',
  '019bc119-fd87-7e2c-be08-9ece360e183f', '019bc119-fd87-71cc-beaa-e46cde022e57',
  'req_09a5f675-6578-4b6a-95c8-e9fb2ca9d1be', '2026-01-15 10:01:04.647+00',
  '2026-01-22 10:01:04.647+00', '2026-01-15', '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fd87-71cc-beaa-e46cde022e57',
  '019bc119-fd87-7e2c-be08-9ece360e183f', 'charge',
  E'\\x011afe74c12462d12b8b1c02cd4a50e123905167013a5a8d51691269abddd096', 'mock',
  'acct_payoncemock', '3d6b909b-3c72-80da-b369-b76d8720b3df', '2026-10-28.endive', '1', '2500',
  'myr', '1', '2026-01-15 22:01:04.647+00', NULL, '2026-01-15 10:01:04.647+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fd87-71cc-beaa-e46cde022e57', '1', 'send',
  'request', 'req_09a5f675-6578-4b6a-95c8-e9fb2ca9d1be', '2026-01-15 10:01:04.647+00', 'declined',
  'Your card was declined.', '2026-01-15 10:01:04.673234+00'
);
INSERT INTO outbox_events (
  account_id, payment_id, sequence, id, type, payload, created_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fd87-7e2c-be08-9ece360e183f', '1',
  '019bc119-fda1-7f48-9ea8-c1548f2e2c88', 'payment.failed',
  '{"id":"019bc119-fd87-7e2c-be08-9ece360e183f","object":"payment","status":"failed","amount":2500,"amount_captured":0,"amount_refunded":0,"amount_disputed":0,"currency":"myr","payment_method":"pm_card_chargeDeclined","order_id":"late-success-caller","description":null,"metadata":{},"capture":"automatic","failure":{"code":"card_declined","message":"Your card was declined.","decline_code":"generic_decline"},"unresolved":null,"processor":{"name":"mock","id":"pi_qjs7tBv8dhwY3GcVTmxuukUS"},"created_at":"2026-01-15T10:01:04.647Z","settled_at":"2026-01-15T10:01:04.672Z"}',
  '2026-01-15 10:01:04.673234+00'
);
INSERT INTO saved_answers (
  answer_day, account_id, key_hash, status, content_type, location, body
) VALUES (
  '2026-01-15', '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x011afe74c12462d12b8b1c02cd4a50e123905167013a5a8d51691269abddd096', '402',
  'application/problem+json', NULL,
  E'\\x7b2274797065223a222f646f63732f70726f626c656d732f636172645f6465636c696e6564222c227469746c65223a22546865206361726420776173206465636c696e6564222c22737461747573223a3430322c2264657461696c223a22596f7572206361726420776173206465636c696e65642e222c22636f6465223a22636172645f6465636c696e6564222c22706172616d223a6e756c6c2c22726574727961626c65223a66616c73652c22726571756573745f6964223a227265715f30396135663637352d363537382d346236612d393563382d653966623263613964316265222c227061796d656e745f6964223a2230313962633131392d666438372d376532632d626530382d396563653336306531383366222c226465636c696e655f636f6465223a2267656e657269635f6465636c696e65222c227061796d656e74223a7b226964223a2230313962633131392d666438372d376532632d626530382d396563653336306531383366222c226f626a656374223a227061796d656e74222c22737461747573223a226661696c6564222c22616d6f756e74223a323530302c22616d6f756e745f6361707475726564223a302c22616d6f756e745f726566756e646564223a302c22616d6f756e745f6469737075746564223a302c2263757272656e6379223a226d7972222c227061796d656e745f6d6574686f64223a22706d5f636172645f6368617267654465636c696e6564222c226f726465725f6964223a226c6174652d737563636573732d63616c6c6572222c226465736372697074696f6e223a6e756c6c2c226d65746164617461223a7b7d2c2263617074757265223a226175746f6d61746963222c226661696c757265223a7b22636f6465223a22636172645f6465636c696e6564222c226d657373616765223a22596f7572206361726420776173206465636c696e65642e222c226465636c696e655f636f6465223a2267656e657269635f6465636c696e65227d2c22756e7265736f6c766564223a6e756c6c2c2270726f636573736f72223a7b226e616d65223a226d6f636b222c226964223a2270695f716a7337744276386468775933476356546d7875756b5553227d2c22637265617465645f6174223a22323032362d30312d31355431303a30313a30342e3634375a222c22736574746c65645f6174223a22323032362d30312d31355431303a30313a30342e3637325a227d7d'
);

-- News from the processor.
INSERT INTO webhook_inbox (
  processor_name, event_id, type, object_id, payload, body_hash, state, reason, tries, waits,
  next_try_at, deliveries, first_delivered_at, last_delivered_at, stored_at, applied_at,
  account_id, payment_id
) VALUES (
  'mock', 'evt_v1_held', 'payment_intent.succeeded', 'pi_qjs7tBv8dhwY3GcVTmxuukUS',
  '{"id":"evt_v1_held","object":"event","created":1796183191,"type":"payment_intent.succeeded","data":{"object":{"id":"pi_qjs7tBv8dhwY3GcVTmxuukUS","object":"payment_intent","metadata":{"payonce_account":"01a234dc-41fe-7782-8e35-7a9d412db9a6","payonce_intent":"3d6b909b-3c72-80da-b369-b76d8720b3df"}}}}',
  E'\\x815d0104860935d0863cd5031653cc0454529f33e79b234e6d9f9f90fd9bbb4a', 'held', 'late_success',
  '0', '0', NULL, '1', '2026-01-15 10:01:04.721347+00', '2026-01-15 10:01:04.721347+00',
  '2026-01-15 10:01:04.721347+00', NULL, '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  '019bc119-fd87-7e2c-be08-9ece360e183f'
);
