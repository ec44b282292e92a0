-- A payment: one intent to take money, born pending in the claim, moved once by the record step.
-- Every unique rule below starts with account_id, so that the tables can be spread by account.
CREATE TABLE payments (
  account_id        uuid        NOT NULL,
  id                uuid        NOT NULL,
  status            text        NOT NULL CONSTRAINT payments_status
                      CHECK (status IN ('pending', 'authorized', 'succeeded', 'failed', 'canceled')),
  amount            bigint      NOT NULL CONSTRAINT payments_amount CHECK (amount BETWEEN 1 AND 99999999),
  currency          text        NOT NULL CONSTRAINT payments_currency CHECK (currency ~ '^[a-z]{3}$'),
  amount_captured   bigint      NOT NULL DEFAULT 0,
  amount_refunded   bigint      NOT NULL DEFAULT 0,
  amount_disputed   bigint      NOT NULL DEFAULT 0,
  -- What refunds have taken hold of, succeeded ones included.
  amount_reserved   bigint      NOT NULL DEFAULT 0,
  payment_method    text        NOT NULL CONSTRAINT payments_payment_method_length CHECK (char_length(payment_method) <= 255),
  order_id          text        CONSTRAINT payments_order_id_length CHECK (char_length(order_id) BETWEEN 1 AND 255),
  description       text        CONSTRAINT payments_description_length CHECK (char_length(description) <= 1000),
  -- json, not jsonb: the caller's member order is part of the answer.
  metadata          json        NOT NULL,
  capture           text        NOT NULL CONSTRAINT payments_capture CHECK (capture IN ('automatic', 'manual')),
  failure_code      text,
  failure_message   text,
  decline_code      text,
  processor_name    text        NOT NULL,
  processor_id      text,
  event_sequence    integer     NOT NULL DEFAULT 0,
  created_at        timestamptz NOT NULL,
  settled_at        timestamptz,
  CONSTRAINT payments_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT payments_account FOREIGN KEY (account_id) REFERENCES accounts (id),
  CONSTRAINT payments_captured_within_amount CHECK (amount_captured BETWEEN 0 AND amount),
  CONSTRAINT payments_parts_not_negative
    CHECK (amount_refunded >= 0 AND amount_disputed >= 0 AND amount_reserved >= 0),
  -- Unknown is never final: a final state names its evidence.
  CONSTRAINT payments_final_has_evidence CHECK (
    CASE status
      WHEN 'succeeded' THEN processor_id IS NOT NULL AND settled_at IS NOT NULL
      WHEN 'failed' THEN failure_code IS NOT NULL AND settled_at IS NOT NULL
      ELSE true
    END)
) WITH (fillfactor = 80);

CREATE INDEX payments_by_order ON payments (account_id, order_id, id) WHERE order_id IS NOT NULL;

-- A payment only moves forward. The edges are a table in the code as well (payment-status.ts); a test
-- asks both about every pair.
CREATE FUNCTION payments_refuse_backward() RETURNS trigger
  LANGUAGE plpgsql
  AS $$
  BEGIN
    IF NOT (
      (OLD.status = 'pending' AND NEW.status IN ('authorized', 'succeeded', 'failed', 'canceled')) OR
      (OLD.status = 'authorized' AND NEW.status IN ('succeeded', 'canceled'))
    ) THEN
      RAISE EXCEPTION 'payment % may not move from % to %', OLD.id, OLD.status, NEW.status
        USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_only_forward';
    END IF;
    RETURN NEW;
  END $$;

CREATE TRIGGER payments_only_forward
  BEFORE UPDATE OF status ON payments
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status)
  EXECUTE FUNCTION payments_refuse_backward();
ALTER TABLE payments ENABLE ALWAYS TRIGGER payments_only_forward;

-- The one live payment of an order. A payment that failed, or of which nothing was sent, holds no slot.
CREATE TABLE order_slots (
  account_id uuid        NOT NULL,
  order_id   text        NOT NULL,
  payment_id uuid        NOT NULL,
  taken_at   timestamptz NOT NULL,
  CONSTRAINT order_slots_one_live_payment PRIMARY KEY (account_id, order_id),
  CONSTRAINT order_slots_payment FOREIGN KEY (account_id, payment_id) REFERENCES payments (account_id, id)
);
