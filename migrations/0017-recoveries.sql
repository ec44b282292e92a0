-- An instant that this database was set back to, by a restore or a fail-over that lost commits. While a row is open
-- nothing is sent to the processor and no key is claimed: what was made there since has first to be imported.
CREATE TABLE recoveries (
  since           timestamptz NOT NULL,
  began_at        timestamptz NOT NULL DEFAULT payonce_now(),
  -- Who imports now, and until when it is its own; anybody may afterwards.
  importer        uuid,
  importing_until timestamptz,
  opened_at       timestamptz,
  CONSTRAINT recoveries_pkey PRIMARY KEY (since),
  -- One that is still to come would open at once, and nothing would have been imported.
  CONSTRAINT recoveries_since_is_past CHECK (since <= began_at)
);

-- An operation that the processor told of, and that no row here did: a restore had lost it. The key that it has at the
-- processor finds it when its caller retries: that retry takes it over, and sends nothing.
CREATE TABLE imported_operations (
  account_id    uuid        NOT NULL,
  processor_key uuid        NOT NULL,
  operation_id  uuid        NOT NULL,
  payment_id    uuid        NOT NULL,
  imported_at   timestamptz NOT NULL,
  -- When its caller's key took it over.
  bound_at      timestamptz,
  CONSTRAINT imported_operations_pkey PRIMARY KEY (account_id, processor_key),
  CONSTRAINT imported_operations_operation FOREIGN KEY (account_id, operation_id) REFERENCES operations (account_id, id)
);
