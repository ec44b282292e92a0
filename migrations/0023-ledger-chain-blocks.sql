-- no transaction
-- Where blocks of an account end: what balance snapshots are taken of. (After a build that failed halfway, drop the invalid index first.)
CREATE INDEX CONCURRENTLY ledger_chain_blocks ON ledger_chain (account_id, number) WHERE number % 2048 = 0;
