-- News from the processor.
INSERT INTO webhook_inbox (
  processor_name, event_id, type, object_id, payload, body_hash, state, reason, tries, waits,
  next_try_at, deliveries, first_delivered_at, last_delivered_at, stored_at, applied_at,
  account_id, payment_id
) VALUES (
  'mock', 'evt_v1_ignored', 'something.unheard_of', 'pi_none',
  '{"id":"evt_v1_ignored","object":"event","created":1796183191,"type":"something.unheard_of","data":{"object":{"id":"pi_none","object":"payment_intent","metadata":{}}}}',
  E'\\xae7c6886402af62bb94bdcb1ce80add2f69d2bc5717629777128168543a81b4f', 'ignored',
  'its type is not known', '0', '0', NULL, '1', '2026-01-15 10:01:04.629228+00',
  '2026-01-15 10:01:04.629228+00', '2026-01-15 10:01:04.629228+00', NULL, NULL, NULL
);
