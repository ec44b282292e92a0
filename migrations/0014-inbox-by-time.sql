-- no transaction
-- A replay names a range of time. (After a build that failed halfway, drop the invalid index first.)
CREATE INDEX CONCURRENTLY webhook_inbox_by_time ON webhook_inbox (processor_name, stored_at);
