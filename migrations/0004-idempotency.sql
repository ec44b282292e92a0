-- The identity of a key, kept for ever in a plain table, so that its primary key holds across midnight,
-- expiry and dropped partitions. The key's text is never stored: a hash finds it.
CREATE TABLE idempotency_keys (
  account_id          uuid        NOT NULL,
  key_hash            bytea       NOT NULL CONSTRAINT idempotency_keys_key_hash_length CHECK (octet_length(key_hash) = 32),
  -- Time-ordered and never changed; the low-water mark of the lease sweep walks along it.
  claim_id            uuid        NOT NULL,
  operation           text        NOT NULL,
  fingerprint         bytea       NOT NULL CONSTRAINT idempotency_keys_fingerprint_length CHECK (octet_length(fingerprint) = 32),
  fingerprint_version smallint    NOT NULL,
  -- started: leased, or (once the lease is over) unknown; released: proved that nothing was sent;
  -- finished: the answer was saved; queued and canceled: not yet begun, and never to be.
  state               text        NOT NULL CONSTRAINT idempotency_keys_state
                        CHECK (state IN ('started', 'released', 'queued', 'finished', 'canceled')),
  locked_until        timestamptz NOT NULL,
  lease_token         uuid        NOT NULL,
  payment_id          uuid        NOT NULL,
  operation_id        uuid        NOT NULL,
  -- The request that claimed the key: Original-Request on a replay, request_id in a saved problem.
  request_id          text        NOT NULL CONSTRAINT idempotency_keys_request_id_length CHECK (char_length(request_id) <= 100),
  claimed_at          timestamptz NOT NULL,
  -- When a released key can no longer be sent.
  ends_at             timestamptz NOT NULL,
  -- The partition that holds the saved answer.
  answer_day          date,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, key_hash),
  CONSTRAINT idempotency_keys_payment FOREIGN KEY (account_id, payment_id) REFERENCES payments (account_id, id),
  CONSTRAINT idempotency_keys_finished_has_day CHECK ((state = 'finished') = (answer_day IS NOT NULL))
) WITH (fillfactor = 50);

-- The only index across accounts. Nothing may index state or locked_until: it would end HOT updates.
CREATE INDEX idempotency_keys_by_claim ON idempotency_keys (claim_id);

-- One thing asked of the processor (a charge; later captures, voids, refunds), under one key for life.
CREATE TABLE operations (
  account_id        uuid        NOT NULL,
  id                uuid        NOT NULL,
  payment_id        uuid        NOT NULL,
  kind              text        NOT NULL CONSTRAINT operations_kind CHECK (kind IN ('charge')),
  key_hash          bytea       NOT NULL,
  -- Everything that is sent is stored here or on the payment, so that a re-send repeats it exactly.
  processor_name    text        NOT NULL,
  -- The account at the processor: a key means nothing at another one, so nothing is ever sent there.
  processor_account text        NOT NULL,
  processor_key     uuid        NOT NULL,
  api_version       text        NOT NULL,
  -- Which of the adapter's renderings makes the bytes.
  rendering_version smallint    NOT NULL,
  amount            bigint      NOT NULL CONSTRAINT operations_amount CHECK (amount > 0),
  currency          text        NOT NULL,
  attempts_made     integer     NOT NULL,
  -- Nobody sends after this instant; NULL while no attempt may have been sent.
  send_until        timestamptz,
  -- Since when the processor is known to replay a stored server error: only look-ups follow.
  stored_error_at   timestamptz,
  created_at        timestamptz NOT NULL,
  CONSTRAINT operations_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT operations_payment FOREIGN KEY (account_id, payment_id) REFERENCES payments (account_id, id)
) WITH (fillfactor = 90);

CREATE INDEX operations_by_payment ON operations (account_id, payment_id);

-- One call to the processor. No outcome counts as unknown: whoever opened it may have died after sending.
CREATE TABLE attempts (
  account_id   uuid        NOT NULL,
  operation_id uuid        NOT NULL,
  attempt_no   integer     NOT NULL,
  action       text        NOT NULL CONSTRAINT attempts_action CHECK (action IN ('send', 'look_up')),
  actor        text        NOT NULL CONSTRAINT attempts_actor CHECK (actor IN ('request', 'worker')),
  request_id   text        NOT NULL CONSTRAINT attempts_request_id_length CHECK (char_length(request_id) <= 100),
  opened_at    timestamptz NOT NULL,
  outcome      text        CONSTRAINT attempts_outcome
                 CHECK (outcome IN ('succeeded', 'declined', 'not_sent', 'unknown', 'not_charged')),
  detail       text        CONSTRAINT attempts_detail_length CHECK (char_length(detail) <= 500),
  closed_at    timestamptz,
  CONSTRAINT attempts_pkey PRIMARY KEY (account_id, operation_id, attempt_no),
  CONSTRAINT attempts_operation FOREIGN KEY (account_id, operation_id) REFERENCES operations (account_id, id),
  CONSTRAINT attempts_closed_has_outcome CHECK ((outcome IS NULL) = (closed_at IS NULL))
) WITH (fillfactor = 70);

-- Work that somebody must come back to: keys that the sweep's mark passed unfinished, unknown outcomes,
-- released keys (due at their end). Small, so that it can be indexed by what changes.
CREATE TABLE unresolved (
  account_id  uuid        NOT NULL,
  key_hash    bytea       NOT NULL,
  claim_id    uuid        NOT NULL,
  payment_id  uuid        NOT NULL,
  reason      text        NOT NULL,
  -- Tries whose answer could have settled it; past the limit a person looks.
  tries       integer     NOT NULL DEFAULT 0,
  -- Waits so far, counted tries or not: the next wait doubles with them.
  waits       integer     NOT NULL DEFAULT 0,
  next_try_at timestamptz NOT NULL,
  since       timestamptz NOT NULL,
  review_at   timestamptz,
  CONSTRAINT unresolved_pkey PRIMARY KEY (account_id, key_hash),
  CONSTRAINT unresolved_key FOREIGN KEY (account_id, key_hash) REFERENCES idempotency_keys (account_id, key_hash)
);

CREATE INDEX unresolved_due ON unresolved (next_try_at, claim_id);

-- How far each walk along the claims has come. `leases` only goes on; `leases_daily` starts over each day,
-- for what a database clock that was set back may have put behind the first.
CREATE TABLE sweep_marks (
  name       text        NOT NULL,
  mark       uuid        NOT NULL,
  started_at timestamptz NOT NULL DEFAULT payonce_now(),
  CONSTRAINT sweep_marks_pkey PRIMARY KEY (name)
);
INSERT INTO sweep_marks (name, mark) VALUES
  ('leases', '00000000-0000-0000-0000-000000000000'),
  ('leases_daily', '00000000-0000-0000-0000-000000000000');

-- The bulky part: answers as the bytes that were sent, in partitions by the UTC day of recording, dropped
-- whole. No default partition: the worker makes days ahead and says so loudly when it cannot.
CREATE TABLE saved_answers (
  answer_day   date     NOT NULL,
  account_id   uuid     NOT NULL,
  key_hash     bytea    NOT NULL,
  status       smallint NOT NULL,
  content_type text     NOT NULL,
  location     text,
  body         bytea    NOT NULL,
  CONSTRAINT saved_answers_pkey PRIMARY KEY (account_id, key_hash, answer_day)
) PARTITION BY RANGE (answer_day);
