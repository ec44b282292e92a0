-- An account is one merchant in one mode: its test and its live side are two accounts.
CREATE TABLE accounts (
  id         uuid        NOT NULL DEFAULT payonce_uuid_v7(),
  name       text        NOT NULL CONSTRAINT accounts_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
  mode       text        NOT NULL CONSTRAINT accounts_mode CHECK (mode IN ('test', 'live')),
  -- Whether a second key for a live order is refused; NULL follows the ORDER_ONCE setting.
  order_once boolean,
  created_at timestamptz NOT NULL DEFAULT payonce_now(),
  CONSTRAINT accounts_pkey PRIMARY KEY (id),
  CONSTRAINT accounts_name_mode UNIQUE (name, mode)
);

-- A credential. Only its hash is kept; the key itself is shown once, when it is made.
CREATE TABLE api_keys (
  id         uuid        NOT NULL DEFAULT payonce_uuid_v7(),
  account_id uuid        NOT NULL,
  key_hash   bytea       NOT NULL CONSTRAINT api_keys_key_hash_length CHECK (octet_length(key_hash) = 32),
  prefix     text        NOT NULL CONSTRAINT api_keys_prefix_length CHECK (char_length(prefix) <= 24),
  scopes     text[]      NOT NULL,
  created_at timestamptz NOT NULL DEFAULT payonce_now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_key_hash UNIQUE (key_hash),
  CONSTRAINT api_keys_account FOREIGN KEY (account_id) REFERENCES accounts (id),
  CONSTRAINT api_keys_scopes CHECK (scopes <@ ARRAY['payments:write', 'payments:read'])
);
