-- no transaction
-- What an account has behind its last balance snapshot, in the order of booking. (After a build that failed halfway, drop the invalid index first.)
CREATE INDEX CONCURRENTLY ledger_entries_by_account ON ledger_entries (account_id, recorded_xid, id);
