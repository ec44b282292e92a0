-- A ledger entry is one transfer between two accounts: it cannot be unbalanced. Rows are only ever added;
-- a correction is a new row. All columns exist from the first row on, since rows can't be changed later.
CREATE TABLE ledger_entries (
  id             uuid        NOT NULL DEFAULT payonce_uuid_v7(),
  account_id     uuid        NOT NULL,
  payment_id     uuid        NOT NULL,
  -- The payment's own id for a charge and its fee; the refund's, capture's or dispute's id otherwise.
  source_id      uuid        NOT NULL,
  entry_kind     text        NOT NULL,
  debit_account  text        NOT NULL,
  credit_account text        NOT NULL,
  amount         bigint      NOT NULL CONSTRAINT ledger_entries_amount CHECK (amount > 0),
  currency       text        NOT NULL CONSTRAINT ledger_entries_currency CHECK (currency ~ '^[a-z]{3}$'),
  effective_at   timestamptz NOT NULL,
  recorded_at    timestamptz NOT NULL DEFAULT payonce_now(),
  recorded_xid   xid8        NOT NULL DEFAULT pg_current_xact_id(),
  CONSTRAINT ledger_entries_pkey PRIMARY KEY (account_id, id),
  -- Books each kind once for a payment, whatever the code above it believes.
  CONSTRAINT ledger_entries_once UNIQUE (account_id, payment_id, entry_kind, source_id),
  CONSTRAINT ledger_entries_charge_is_its_own_source
    CHECK (entry_kind NOT IN ('charge', 'processor_fee') OR source_id = payment_id),
  CONSTRAINT ledger_entries_two_accounts CHECK (debit_account <> credit_account),
  CONSTRAINT ledger_entries_payment FOREIGN KEY (account_id, payment_id) REFERENCES payments (account_id, id)
);

CREATE FUNCTION ledger_refuse_change() RETURNS trigger
  LANGUAGE plpgsql
  AS $$
  BEGIN
    RAISE EXCEPTION 'the ledger only grows: % on % is refused', TG_OP, TG_TABLE_NAME
      USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'ledger_only_grows';
  END $$;

CREATE TRIGGER ledger_entries_no_change
  BEFORE UPDATE OR DELETE ON ledger_entries
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_entries_no_truncate
  BEFORE TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
ALTER TABLE ledger_entries ENABLE ALWAYS TRIGGER ledger_entries_no_change;
ALTER TABLE ledger_entries ENABLE ALWAYS TRIGGER ledger_entries_no_truncate;

-- What happened, for others to hear: written in the transaction of the change itself.
CREATE TABLE outbox_events (
  account_id uuid        NOT NULL,
  payment_id uuid        NOT NULL,
  -- 1, 2, 3 … within the payment.
  sequence   integer     NOT NULL,
  id         uuid        NOT NULL DEFAULT payonce_uuid_v7(),
  type       text        NOT NULL,
  payload    json        NOT NULL,
  created_at timestamptz NOT NULL DEFAULT payonce_now(),
  CONSTRAINT outbox_events_pkey PRIMARY KEY (account_id, payment_id, sequence),
  CONSTRAINT outbox_events_payment FOREIGN KEY (account_id, payment_id) REFERENCES payments (account_id, id)
);
