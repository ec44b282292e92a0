-- The hash chain over the ledger: one link an entry, added after it by the worker, so that nobody who books waits for
-- it. Each hash covers the one before it and every column of the entry; the order within a shard is that of transactions.
-- No foreign key: a link must outlive the entry that somebody took away, and name it.
CREATE TABLE ledger_chain (
  -- Which of the chains: follows from the account.
  shard      smallint NOT NULL,
  -- 1, 2, 3 … within the shard.
  sequence   bigint   NOT NULL,
  account_id uuid     NOT NULL,
  entry_id   uuid     NOT NULL,
  -- 1, 2, 3 … within the account.
  number     bigint   NOT NULL,
  hash       bytea    NOT NULL CONSTRAINT ledger_chain_hash CHECK (octet_length(hash) = 32),
  CONSTRAINT ledger_chain_pkey PRIMARY KEY (shard, sequence),
  CONSTRAINT ledger_chain_once UNIQUE (account_id, number)
);

-- Where each chain ends, and up to where entries have been linked: every entry at or before the position has its link,
-- so that one without was put there later. Whoever moves a row by compare-and-set adds the links.
CREATE TABLE ledger_shards (
  shard            smallint NOT NULL,
  sequence         bigint   NOT NULL,
  hash             bytea    NOT NULL,
  position_xid     xid8     NOT NULL,
  position_account uuid     NOT NULL,
  position_entry   uuid     NOT NULL,
  CONSTRAINT ledger_shards_pkey PRIMARY KEY (shard)
);
INSERT INTO ledger_shards
SELECT shard, 0, decode(repeat('00', 32), 'hex'), '0', '00000000-0000-0000-0000-000000000000',
       '00000000-0000-0000-0000-000000000000'
  FROM generate_series(0, 7) AS shard;

-- What a chain was at an instant, signed: whoever rewrites a chain from there on needs the key as well.
CREATE TABLE ledger_checkpoints (
  shard            smallint    NOT NULL,
  -- One a minute at most, whoever signs.
  minute           timestamptz NOT NULL,
  sequence         bigint      NOT NULL,
  hash             bytea       NOT NULL,
  count            bigint      NOT NULL,
  position_xid     xid8        NOT NULL,
  position_account uuid        NOT NULL,
  position_entry   uuid        NOT NULL,
  signed_at        timestamptz NOT NULL,
  -- The beginning of the hash of the public key.
  signing_key      text        NOT NULL,
  signature        bytea       NOT NULL,
  CONSTRAINT ledger_checkpoints_pkey PRIMARY KEY (shard, minute)
);

CREATE TRIGGER ledger_chain_no_change
  BEFORE UPDATE OR DELETE ON ledger_chain
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_chain_no_truncate
  BEFORE TRUNCATE ON ledger_chain
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_checkpoints_no_change
  BEFORE UPDATE OR DELETE ON ledger_checkpoints
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_checkpoints_no_truncate
  BEFORE TRUNCATE ON ledger_checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
ALTER TABLE ledger_chain ENABLE ALWAYS TRIGGER ledger_chain_no_change;
ALTER TABLE ledger_chain ENABLE ALWAYS TRIGGER ledger_chain_no_truncate;
ALTER TABLE ledger_checkpoints ENABLE ALWAYS TRIGGER ledger_checkpoints_no_change;
ALTER TABLE ledger_checkpoints ENABLE ALWAYS TRIGGER ledger_checkpoints_no_truncate;
