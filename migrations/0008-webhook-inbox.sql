-- News from the card processor: one row for each event, however often it is delivered. Whose it is shows
-- only when it is applied, so no account stands in front. It is a plain table: its primary key must hold for
-- as long as a sender may repeat itself, and an operator may ask for a replay at any time.
CREATE TABLE webhook_inbox (
  processor_name     text        NOT NULL,
  event_id           text        NOT NULL CONSTRAINT webhook_inbox_event_id_length CHECK (char_length(event_id) <= 255),
  type               text        NOT NULL CONSTRAINT webhook_inbox_type_length CHECK (char_length(type) <= 255),
  -- The object that it tells of, by the processor's id.
  object_id          text        CONSTRAINT webhook_inbox_object_id_length CHECK (char_length(object_id) <= 255),
  -- As it came, but for known secrets in it, which were masked after its signature had been checked.
  payload            text        NOT NULL,
  -- sha256 over the RFC 8785 form of type, created and data, before masking: what makes two deliveries one event.
  body_hash          bytea       NOT NULL CONSTRAINT webhook_inbox_body_hash_length CHECK (octet_length(body_hash) = 32),
  -- received: to be applied, or waiting; applied: nothing is left to do; ignored: not for us;
  -- held: it contradicts a final payment, and a person or a later step decides; set_aside: it cannot be applied.
  state              text        NOT NULL CONSTRAINT webhook_inbox_state
                       CHECK (state IN ('received', 'applied', 'ignored', 'held', 'set_aside')),
  reason             text        CONSTRAINT webhook_inbox_reason_length CHECK (char_length(reason) <= 500),
  -- Tries that failed by themselves. Waiting for somebody else is none.
  tries              integer     NOT NULL DEFAULT 0,
  -- Waits so far; the next one doubles with them.
  waits              integer     NOT NULL DEFAULT 0,
  next_try_at        timestamptz,
  -- None, and no times, if it was fetched from the processor because no delivery came.
  deliveries         integer     NOT NULL,
  first_delivered_at timestamptz,
  last_delivered_at  timestamptz,
  stored_at          timestamptz NOT NULL,
  applied_at         timestamptz,
  -- The payment that it tells of, once that is known.
  account_id         uuid,
  payment_id         uuid,
  CONSTRAINT webhook_inbox_pkey PRIMARY KEY (processor_name, event_id),
  CONSTRAINT webhook_inbox_payment FOREIGN KEY (account_id, payment_id) REFERENCES payments (account_id, id),
  CONSTRAINT webhook_inbox_received_is_due CHECK ((state = 'received') = (next_try_at IS NOT NULL)),
  CONSTRAINT webhook_inbox_applied_has_time CHECK ((state = 'applied') = (applied_at IS NOT NULL)),
  CONSTRAINT webhook_inbox_delivered_has_times CHECK (
    (deliveries > 0) = (first_delivered_at IS NOT NULL) AND (deliveries > 0) = (last_delivered_at IS NOT NULL))
);

-- Only what is still to be done: small, however many events there have been.
CREATE INDEX webhook_inbox_due ON webhook_inbox (next_try_at, stored_at) WHERE state = 'received';

-- How far the list of events at a processor has been read, to find those that were never delivered.
CREATE TABLE webhook_cursors (
  processor_name text        NOT NULL,
  -- The newest event that was read; NULL before the first.
  event_id       text,
  began_at       timestamptz NOT NULL,
  next_walk_at   timestamptz NOT NULL,
  CONSTRAINT webhook_cursors_pkey PRIMARY KEY (processor_name)
);
