-- no transaction
-- What was booked since: by whoever links entries, for all accounts, and by whoever reads the newest of one. (After a build that failed halfway, drop the invalid index first.)
CREATE INDEX CONCURRENTLY ledger_entries_by_transaction ON ledger_entries (recorded_xid, account_id);
