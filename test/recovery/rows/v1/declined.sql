-- The intent under the key declined-caller.
INSERT INTO payments (
  account_id, id, status, amount, currency, amount_captured, amount_refunded, amount_disputed,
  amount_reserved, payment_method, order_id, description, metadata, capture, failure_code,
  failure_message, decline_code, processor_name, processor_id, event_sequence, created_at,
  settled_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fbf3-7dab-9c4b-8d76916884da', 'failed',
  '2500', 'myr', '0', '0', '0', '0', 'pm_card_chargeDeclined', 'declined-caller', NULL, '{}',
  'automatic', 'card_declined', 'Your card was declined.', 'generic_decline', 'mock',
  'pi_5cBtDKFtYnDZL2gAViETGkgr', '1', '2026-01-15 10:01:04.243+00', '2026-01-15 10:01:04.295+00'
);
INSERT INTO idempotency_keys (
  account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version, state,
  locked_until, lease_token, payment_id, operation_id, request_id, claimed_at, ends_at,
  answer_day, owner
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x13c25cbc8c03fd30ca9ff38bfa83c9a46507bef7273621de36d90aff046a278e',
  '019bc119-fbf3-7766-a42f-daf24c27bf6e', 'POST /v1/payments',
  E'\\xb3677e5316bb4273b0fe3bb59dd6588273de16fff571580103960105aeafb0f9', '1', 'finished',
  '2026-01-15 10:01:04.296665+00', 'fdc5ca48-fc9e-427f-9355-847afd9a9f30',
  '019bc119-fbf3-7dab-9c4b-8d76916884da', '019bc119-fbf3-72d1-bd54-52a1b3b0c3e5',
  'req_c9c27687-11eb-4b5d-b103-05cde651056e', '2026-01-15 10:01:04.243+00',
  '2026-01-22 10:01:04.243+00', '2026-01-15', '512123330'
);
INSERT INTO operations (
  account_id, id, payment_id, kind, key_hash, processor_name, processor_account, processor_key,
  api_version, rendering_version, amount, currency, attempts_made, send_until, stored_error_at,
  created_at, queued
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fbf3-72d1-bd54-52a1b3b0c3e5',
  '019bc119-fbf3-7dab-9c4b-8d76916884da', 'charge',
  E'\\x13c25cbc8c03fd30ca9ff38bfa83c9a46507bef7273621de36d90aff046a278e', 'mock',
  'acct_payoncemock', 'd489d457-dd8c-81da-b79d-44055efbd356', '2026-10-28.endive', '1', '2500',
  'myr', '1', '2026-01-15 22:01:04.243+00', NULL, '2026-01-15 10:01:04.243+00', 'false'
);
INSERT INTO attempts (
  account_id, operation_id, attempt_no, action, actor, request_id, opened_at, outcome, detail,
  closed_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fbf3-72d1-bd54-52a1b3b0c3e5', '1', 'send',
  'request', 'req_c9c27687-11eb-4b5d-b103-05cde651056e', '2026-01-15 10:01:04.243+00', 'declined',
  'Your card was declined.', '2026-01-15 10:01:04.296665+00'
);
INSERT INTO outbox_events (
  account_id, payment_id, sequence, id, type, payload, created_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', '019bc119-fbf3-7dab-9c4b-8d76916884da', '1',
  '019bc119-fc28-73b3-947c-5463f40a9942', 'payment.failed',
  '{"id":"019bc119-fbf3-7dab-9c4b-8d76916884da","object":"payment","status":"failed","amount":2500,"amount_captured":0,"amount_refunded":0,"amount_disputed":0,"currency":"myr","payment_method":"pm_card_chargeDeclined","order_id":"declined-caller","description":null,"metadata":{},"capture":"automatic","failure":{"code":"card_declined","message":"Your card was declined.","decline_code":"generic_decline"},"unresolved":null,"processor":{"name":"mock","id":"pi_5cBtDKFtYnDZL2gAViETGkgr"},"created_at":"2026-01-15T10:01:04.243Z","settled_at":"2026-01-15T10:01:04.295Z"}',
  '2026-01-15 10:01:04.296665+00'
);
INSERT INTO saved_answers (
  answer_day, account_id, key_hash, status, content_type, location, body
) VALUES (
  '2026-01-15', '01a234dc-41fe-7782-8e35-7a9d412db9a6',
  E'\\x13c25cbc8c03fd30ca9ff38bfa83c9a46507bef7273621de36d90aff046a278e', '402',
  'application/problem+json', NULL,
  E'\\x7b2274797065223a222f646f63732f70726f626c656d732f636172645f6465636c696e6564222c227469746c65223a22546865206361726420776173206465636c696e6564222c22737461747573223a3430322c2264657461696c223a22596f7572206361726420776173206465636c696e65642e222c22636f6465223a22636172645f6465636c696e6564222c22706172616d223a6e756c6c2c22726574727961626c65223a66616c73652c22726571756573745f6964223a227265715f63396332373638372d313165622d346235642d623130332d303563646536353130353665222c227061796d656e745f6964223a2230313962633131392d666266332d376461622d396334622d386437363931363838346461222c226465636c696e655f636f6465223a2267656e657269635f6465636c696e65222c227061796d656e74223a7b226964223a2230313962633131392d666266332d376461622d396334622d386437363931363838346461222c226f626a656374223a227061796d656e74222c22737461747573223a226661696c6564222c22616d6f756e74223a323530302c22616d6f756e745f6361707475726564223a302c22616d6f756e745f726566756e646564223a302c22616d6f756e745f6469737075746564223a302c2263757272656e6379223a226d7972222c227061796d656e745f6d6574686f64223a22706d5f636172645f6368617267654465636c696e6564222c226f726465725f6964223a226465636c696e65642d63616c6c6572222c226465736372697074696f6e223a6e756c6c2c226d65746164617461223a7b7d2c2263617074757265223a226175746f6d61746963222c226661696c757265223a7b22636f6465223a22636172645f6465636c696e6564222c226d657373616765223a22596f7572206361726420776173206465636c696e65642e222c226465636c696e655f636f6465223a2267656e657269635f6465636c696e65227d2c22756e7265736f6c766564223a6e756c6c2c2270726f636573736f72223a7b226e616d65223a226d6f636b222c226964223a2270695f35634274444b4674596e445a4c32674156694554476b6772227d2c22637265617465645f6174223a22323032362d30312d31355431303a30313a30342e3234335a222c22736574746c65645f6174223a22323032362d30312d31355431303a30313a30342e3239355a227d7d'
);
