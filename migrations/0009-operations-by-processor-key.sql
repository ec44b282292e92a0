-- no transaction
-- News names an operation by its key at the processor. (After a build that failed halfway, drop the invalid index first.)
CREATE INDEX CONCURRENTLY operations_by_processor_key ON operations (account_id, processor_key);
