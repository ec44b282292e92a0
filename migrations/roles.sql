-- Rights, given anew after each migration; running it twice changes nothing. `{{app}}`, `{{maintenance}}` and
-- `{{answers}}` are the quoted names of the roles.
--
--   app          the API and the worker: owns nothing, cannot change a ledger row or forget a key
--   answers      owns saved_answers and its partitions, cannot log in
--   maintenance  a member of answers: makes and drops partitions

GRANT USAGE ON SCHEMA public TO {{app}}, {{maintenance}};
GRANT CREATE, USAGE ON SCHEMA public TO {{answers}};

-- Each by name: ALL TABLES would also reach into the partitions of saved_answers, which a worker may be
-- dropping at this moment.
GRANT SELECT ON settings, accounts, api_keys, payments, order_slots, idempotency_keys, operations, attempts,
                unresolved, sweep_marks, saved_answers, ledger_entries, outbox_events, webhook_inbox,
                webhook_cursors, refunds, payment_steps, authorizations TO {{app}};
GRANT INSERT, UPDATE ON payments, idempotency_keys, operations, attempts, refunds TO {{app}};
GRANT INSERT, DELETE ON order_slots, payment_steps TO {{app}};
GRANT INSERT, UPDATE, DELETE ON authorizations TO {{app}};
GRANT INSERT, UPDATE, DELETE ON unresolved TO {{app}};
GRANT INSERT ON saved_answers, ledger_entries, outbox_events TO {{app}};
GRANT UPDATE ON sweep_marks TO {{app}};
GRANT INSERT, UPDATE ON webhook_inbox, webhook_cursors TO {{app}};
GRANT SELECT, INSERT, UPDATE ON breaks, disputes, recoveries, imported_operations TO {{app}};
GRANT SELECT, INSERT ON timelines TO {{app}};
GRANT SELECT, INSERT, UPDATE ON report_imports TO {{app}};
GRANT SELECT, INSERT ON report_lines TO {{app}};
GRANT SELECT, INSERT, DELETE ON report_findings TO {{app}};
GRANT SELECT ON audit_log TO {{app}};
-- Not its id and not its time: no row can be dated back.
GRANT INSERT (mode, actor, action, target, reason, before, after) ON audit_log TO {{app}};
GRANT SELECT, INSERT ON ledger_chain, ledger_checkpoints, ledger_snapshots TO {{app}};
GRANT SELECT, UPDATE ON ledger_shards TO {{app}};
REVOKE UPDATE, DELETE, TRUNCATE, TRIGGER, REFERENCES
    ON ledger_entries, ledger_chain, ledger_checkpoints, audit_log
  FROM {{app}}, {{maintenance}}, PUBLIC;

GRANT SELECT ON settings, saved_answers TO {{maintenance}};
