-- What a block of consecutive entries of an account adds up to in one currency and kind, so that no reader adds up a
-- million of them. A block is 2,048 links of `ledger_chain`: nothing can appear among them any more. Derived, by the worker,
-- after the fact: without its rows, all or any, answers are the same and come later. The rows of a block count only if
-- together they have all of its entries.
CREATE TABLE ledger_snapshots (
  account_id      uuid          NOT NULL,
  -- Whose numbering of transactions that is: `system_identifier` of pg_control_system(). Those of another are not read.
  server          bigint        NOT NULL,
  -- Of the last link of the block within its account.
  number          bigint        NOT NULL,
  currency        text          NOT NULL,
  entry_kind      text          NOT NULL,
  debit_account   text          NOT NULL,
  credit_account  text          NOT NULL,
  -- The last entry of the block, of whatever kind: what is behind it was not added up.
  last_xid        xid8          NOT NULL,
  last_entry      uuid          NOT NULL,
  entries         integer       NOT NULL,
  amount          bigint        NOT NULL,
  recorded_from   timestamptz   NOT NULL,
  recorded_to     timestamptz   NOT NULL,
  effective_from  timestamptz   NOT NULL,
  effective_to    timestamptz   NOT NULL,
  -- The times of its entries in their order, and what all amounts up to each add up to.
  recorded_times  timestamptz[] NOT NULL,
  recorded_sums   bigint[]      NOT NULL,
  effective_times timestamptz[] NOT NULL,
  effective_sums  bigint[]      NOT NULL,
  CONSTRAINT ledger_snapshots_pkey
    PRIMARY KEY (account_id, server, number, currency, entry_kind, debit_account, credit_account)
);
-- Beside the row and as it is: whoever needs totals only reads no lists, and whoever needs one unpacks nothing.
ALTER TABLE ledger_snapshots
  SET (toast_tuple_target = 128),
  ALTER recorded_times  SET STORAGE EXTERNAL,
  ALTER recorded_sums   SET STORAGE EXTERNAL,
  ALTER effective_times SET STORAGE EXTERNAL,
  ALTER effective_sums  SET STORAGE EXTERNAL;

-- Made and deleted, never changed.
CREATE TRIGGER ledger_snapshots_no_update
  BEFORE UPDATE ON ledger_snapshots
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
ALTER TABLE ledger_snapshots ENABLE ALWAYS TRIGGER ledger_snapshots_no_update;
