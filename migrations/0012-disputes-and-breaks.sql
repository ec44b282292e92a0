-- A break: a difference that somebody has to settle, found by reconciliation or by a record step. One row each,
-- for ever: one that is gone is closed, and one that comes back is opened again.
CREATE TABLE breaks (
  id             uuid        NOT NULL DEFAULT payonce_uuid_v7(),
  -- NULL where the processor tells of something that belongs to no account here.
  account_id     uuid,
  payment_id     uuid,
  processor_name text        NOT NULL,
  kind           text        NOT NULL CONSTRAINT breaks_kind CHECK (kind IN (
                   'missing_here', 'missing_there', 'amount', 'currency', 'status', 'duplicate', 'fee', 'refund',
                   'timing', 'payout_sum', 'late_success', 'dispute_excess', 'refund_failed_late')),
  -- The processor's id of what differs.
  reference      text        NOT NULL CONSTRAINT breaks_reference_length CHECK (char_length(reference) BETWEEN 1 AND 255),
  severity       text        NOT NULL CONSTRAINT breaks_severity CHECK (severity IN ('info', 'warning', 'critical')),
  -- What is still open of it, in minor units; the sum that it began with once it is closed.
  amount         bigint      CONSTRAINT breaks_amount CHECK (amount > 0),
  currency       text        CONSTRAINT breaks_currency CHECK (currency ~ '^[a-z]{3}$'),
  status         text        NOT NULL DEFAULT 'open' CONSTRAINT breaks_status CHECK (status IN ('open', 'closed')),
  first_seen     timestamptz NOT NULL,
  last_seen      timestamptz NOT NULL,
  closed_at      timestamptz,
  -- An operator's name, or `payonce` where it closed by itself.
  closed_by      text        CONSTRAINT breaks_closed_by_length CHECK (char_length(closed_by) <= 255),
  reason_code    text        CONSTRAINT breaks_reason_code_length CHECK (char_length(reason_code) <= 100),
  reason         text        CONSTRAINT breaks_reason_length CHECK (char_length(reason) <= 1000),
  details        json        NOT NULL DEFAULT '{}',
  -- A refund of it was ordered: it can no longer be accepted. NULL again if that refund was not made.
  refund_ordered_at timestamptz,
  CONSTRAINT breaks_pkey PRIMARY KEY (id),
  CONSTRAINT breaks_once UNIQUE (processor_name, kind, reference),
  CONSTRAINT breaks_payment FOREIGN KEY (account_id, payment_id) REFERENCES payments (account_id, id),
  CONSTRAINT breaks_amount_has_currency CHECK ((amount IS NULL) = (currency IS NULL)),
  CONSTRAINT breaks_closed_names_by_whom CHECK (
    (status = 'closed') = (closed_at IS NOT NULL) AND (status = 'closed') = (closed_by IS NOT NULL))
);

CREATE INDEX breaks_by_payment ON breaks (account_id, payment_id);
-- The list that people work through.
CREATE INDEX breaks_open ON breaks (id) WHERE status = 'open';

-- A dispute: the cardholder's bank takes money back, whatever we say.
CREATE TABLE disputes (
  account_id     uuid        NOT NULL,
  id             uuid        NOT NULL DEFAULT payonce_uuid_v7(),
  payment_id     uuid        NOT NULL,
  processor_name text        NOT NULL,
  processor_id   text        NOT NULL CONSTRAINT disputes_processor_id_length CHECK (char_length(processor_id) <= 255),
  -- inquiry: a question, which moves no money and may become a dispute; lost: nothing more moves, it has gone.
  status         text        NOT NULL CONSTRAINT disputes_status
                   CHECK (status IN ('inquiry', 'open', 'won', 'lost')),
  amount         bigint      NOT NULL CONSTRAINT disputes_amount CHECK (amount > 0),
  -- The part that stands in suspense now, since less was left on the payment when the bank took it.
  excess         bigint      NOT NULL DEFAULT 0,
  currency       text        NOT NULL CONSTRAINT disputes_currency CHECK (currency ~ '^[a-z]{3}$'),
  -- By the processor's word.
  opened_at      timestamptz NOT NULL,
  closed_at      timestamptz,
  recorded_at    timestamptz NOT NULL DEFAULT payonce_now(),
  CONSTRAINT disputes_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT disputes_once UNIQUE (account_id, processor_name, processor_id),
  CONSTRAINT disputes_payment FOREIGN KEY (account_id, payment_id) REFERENCES payments (account_id, id),
  CONSTRAINT disputes_excess_within_amount CHECK (excess BETWEEN 0 AND amount),
  CONSTRAINT disputes_closed_has_time CHECK (status NOT IN ('won', 'lost') OR closed_at IS NOT NULL)
) WITH (fillfactor = 80);

CREATE INDEX disputes_by_payment ON disputes (account_id, payment_id);

-- The late success by which a failed or canceled payment was accepted after all.
ALTER TABLE payments ADD COLUMN accepted_break_id uuid;

-- The same edges as before, and the one exception: failed or canceled becomes succeeded if, and only if, the same
-- move names an open late success of this very payment. The edges stay a table in the code as well.
CREATE OR REPLACE FUNCTION payments_refuse_backward() RETURNS trigger
  LANGUAGE plpgsql
  AS $$
  BEGIN
    IF NOT (
      (OLD.status = 'pending' AND NEW.status IN ('authorized', 'succeeded', 'failed', 'canceled')) OR
      (OLD.status = 'authorized' AND NEW.status IN ('succeeded', 'canceled')) OR
      (OLD.status IN ('failed', 'canceled') AND NEW.status = 'succeeded' AND
       NEW.accepted_break_id IS DISTINCT FROM OLD.accepted_break_id AND
       EXISTS (SELECT 1 FROM breaks b
                WHERE b.id = NEW.accepted_break_id AND b.account_id = NEW.account_id
                  AND b.payment_id = NEW.id AND b.kind = 'late_success' AND b.status = 'open'))
    ) THEN
      RAISE EXCEPTION 'payment % may not move from % to %', OLD.id, OLD.status, NEW.status
        USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_only_forward';
    END IF;
    RETURN NEW;
  END $$;
