-- An operator is a person of ours who looks after what machines could not settle. Their key belongs to no
-- account and to one mode. (Code that is older than this file does not find such a key, and refuses it.)
ALTER TABLE api_keys ALTER COLUMN account_id DROP NOT NULL;
ALTER TABLE api_keys ADD COLUMN operator text
  CONSTRAINT api_keys_operator_length CHECK (char_length(operator) BETWEEN 1 AND 100);
-- An operator's; that of an account's key is its account's.
ALTER TABLE api_keys ADD COLUMN mode text CONSTRAINT api_keys_mode CHECK (mode IN ('test', 'live'));
ALTER TABLE api_keys ADD CONSTRAINT api_keys_account_or_operator
  CHECK ((account_id IS NULL) = (operator IS NOT NULL) AND (operator IS NULL) = (mode IS NULL));
ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_scopes CHECK (
  CASE
    WHEN operator IS NULL THEN scopes <@ ARRAY['payments:write', 'payments:read']
    ELSE scopes = ARRAY['operations']
  END);

-- One act of an operator: who did what to what, why, and how it stood before and after. It is written in the
-- transaction of the act itself, and never changes. No account stands in front: an act may concern many.
CREATE TABLE audit_log (
  id     uuid        NOT NULL DEFAULT payonce_uuid_v7(),
  at     timestamptz NOT NULL DEFAULT payonce_now(),
  mode   text        NOT NULL CONSTRAINT audit_log_mode CHECK (mode IN ('test', 'live')),
  -- The operator's name, from their key.
  actor  text        NOT NULL CONSTRAINT audit_log_actor_length CHECK (char_length(actor) BETWEEN 1 AND 100),
  action text        NOT NULL CONSTRAINT audit_log_action_length CHECK (char_length(action) BETWEEN 1 AND 100),
  -- What it was done to: `operation:<id>`, `event:<id>`, `events:<from>/<to>`.
  target text        NOT NULL CONSTRAINT audit_log_target_length CHECK (char_length(target) BETWEEN 1 AND 300),
  reason text        NOT NULL CONSTRAINT audit_log_reason_length CHECK (char_length(reason) BETWEEN 1 AND 1000),
  before json        NOT NULL,
  after  json        NOT NULL,
  CONSTRAINT audit_log_pkey PRIMARY KEY (id)
);

CREATE FUNCTION audit_refuse_change() RETURNS trigger
  LANGUAGE plpgsql
  AS $$
  BEGIN
    RAISE EXCEPTION 'the audit log only grows: % on % is refused', TG_OP, TG_TABLE_NAME
      USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'audit_only_grows';
  END $$;

CREATE TRIGGER audit_log_no_change
  BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_log_no_truncate
  BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_no_change;
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_no_truncate;
