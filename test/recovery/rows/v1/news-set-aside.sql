-- News from the processor.
INSERT INTO webhook_inbox (
  processor_name, event_id, type, object_id, payload, body_hash, state, reason, tries, waits,
  next_try_at, deliveries, first_delivered_at, last_delivered_at, stored_at, applied_at,
  account_id, payment_id
) VALUES (
  'mock', 'evt_v1_set_aside', 'payment_intent.succeeded', 'pi_poison', 'no JSON',
  E'\\x8857d4e347213e27102ff2a35f8bfb054d0130295e689ceb64169863d02aba83', 'set_aside',
  'SyntaxError: Unexpected token ''o'', "no JSON" is not valid JSON', '3', '2', NULL, '1',
  '2026-01-15 10:01:04.925951+00', '2026-01-15 10:01:04.925951+00',
  '2026-01-15 10:01:04.925951+00', NULL, NULL, NULL
);
