-- Captures, voids and refunds are operations like a charge: each with its key row, its lease and its attempts.
-- Older code that meets one sends nothing, since it has no rendering of that number, and waits.
ALTER TABLE operations DROP CONSTRAINT operations_kind;
ALTER TABLE operations ADD CONSTRAINT operations_kind
  CHECK (kind IN ('charge', 'capture', 'void', 'refund')) NOT VALID;
ALTER TABLE operations VALIDATE CONSTRAINT operations_kind;
-- What it acts on, by the processor's id; NULL for a charge, which makes it.
ALTER TABLE operations ADD COLUMN target_id text
  CONSTRAINT operations_target_id_length CHECK (char_length(target_id) <= 255);
ALTER TABLE operations ADD CONSTRAINT operations_only_charges_have_no_target
  CHECK ((kind = 'charge') = (target_id IS NULL)) NOT VALID;
ALTER TABLE operations VALIDATE CONSTRAINT operations_only_charges_have_no_target;

ALTER TABLE attempts DROP CONSTRAINT attempts_outcome;
ALTER TABLE attempts ADD CONSTRAINT attempts_outcome CHECK (outcome IN (
  'succeeded', 'authorized', 'accepted', 'declined', 'not_sent', 'unknown', 'not_charged')) NOT VALID;
ALTER TABLE attempts VALIDATE CONSTRAINT attempts_outcome;
ALTER TABLE attempts DROP CONSTRAINT attempts_actor;
ALTER TABLE attempts ADD CONSTRAINT attempts_actor
  CHECK (actor IN ('request', 'worker', 'operator')) NOT VALID;
ALTER TABLE attempts VALIDATE CONSTRAINT attempts_actor;

-- A refund: money on its way back. Its amount is reserved from its claim on, until it is proved that it was
-- not made.
CREATE TABLE refunds (
  account_id      uuid        NOT NULL,
  id              uuid        NOT NULL,
  payment_id      uuid        NOT NULL,
  operation_id    uuid        NOT NULL,
  -- Set where it gives back money that stands in suspense: then the payment itself reserves nothing.
  break_id        uuid,
  -- Whether its amount stands in payments.amount_reserved now: not while it is released, and no more once it failed.
  reserved        boolean     NOT NULL CONSTRAINT refunds_suspense_reserves_nothing CHECK (NOT reserved OR break_id IS NULL),
  status          text        NOT NULL CONSTRAINT refunds_status CHECK (status IN ('pending', 'succeeded', 'failed')),
  amount          bigint      NOT NULL CONSTRAINT refunds_amount CHECK (amount > 0),
  currency        text        NOT NULL,
  reason          text        CONSTRAINT refunds_reason_length CHECK (char_length(reason) <= 500),
  failure_code    text,
  failure_message text,
  decline_code    text,
  -- Known once the processor has taken it; it may still be pending there.
  processor_id    text,
  created_at      timestamptz NOT NULL,
  settled_at      timestamptz,
  CONSTRAINT refunds_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT refunds_one_operation UNIQUE (account_id, operation_id),
  CONSTRAINT refunds_payment FOREIGN KEY (account_id, payment_id) REFERENCES payments (account_id, id),
  CONSTRAINT refunds_operation FOREIGN KEY (account_id, operation_id) REFERENCES operations (account_id, id),
  CONSTRAINT refunds_final_has_evidence CHECK (
    CASE status
      WHEN 'succeeded' THEN processor_id IS NOT NULL AND settled_at IS NOT NULL
      WHEN 'failed' THEN failure_code IS NOT NULL AND settled_at IS NOT NULL
      ELSE settled_at IS NULL
    END)
) WITH (fillfactor = 80);

CREATE INDEX refunds_by_payment ON refunds (account_id, payment_id, id);

-- We never refund more than was captured and is not disputed, whatever runs at the same instant: refused in
-- the row's own lock. Only growth is checked: a dispute books whatever refunds have taken.
CREATE FUNCTION payments_refuse_refund() RETURNS trigger
  LANGUAGE plpgsql
  AS $$
  BEGIN
    IF NEW.amount_reserved + NEW.amount_disputed > NEW.amount_captured THEN
      RAISE EXCEPTION 'payment % has less left to refund', OLD.id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_refunds_within_captured',
              DETAIL = greatest(0, OLD.amount_captured - OLD.amount_reserved - OLD.amount_disputed)::text;
    END IF;
    RETURN NEW;
  END $$;

CREATE TRIGGER payments_refunds_within_captured
  BEFORE UPDATE OF amount_reserved ON payments
  FOR EACH ROW WHEN (NEW.amount_reserved > OLD.amount_reserved)
  EXECUTE FUNCTION payments_refuse_refund();
ALTER TABLE payments ENABLE ALWAYS TRIGGER payments_refunds_within_captured;

-- The one capture or void of a payment that is under way. Released ones hold no place, as with orders.
CREATE TABLE payment_steps (
  account_id   uuid        NOT NULL,
  payment_id   uuid        NOT NULL,
  operation_id uuid        NOT NULL,
  taken_at     timestamptz NOT NULL,
  CONSTRAINT payment_steps_one_at_a_time PRIMARY KEY (account_id, payment_id),
  CONSTRAINT payment_steps_operation FOREIGN KEY (account_id, operation_id) REFERENCES operations (account_id, id)
);

-- Authorizations that are neither captured nor voided, and when each ends at the processor. Small, so that
-- it can be indexed by that.
CREATE TABLE authorizations (
  account_id uuid        NOT NULL,
  payment_id uuid        NOT NULL,
  expires_at timestamptz NOT NULL,
  -- When the sweep looks at it next.
  due_at     timestamptz NOT NULL,
  CONSTRAINT authorizations_pkey PRIMARY KEY (account_id, payment_id),
  CONSTRAINT authorizations_payment FOREIGN KEY (account_id, payment_id) REFERENCES payments (account_id, id)
);

CREATE INDEX authorizations_due ON authorizations (due_at);
