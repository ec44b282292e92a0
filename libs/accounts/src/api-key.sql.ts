import { statement } from '#postgres/statement.js';

export type ApiKeyRow = {
  id: string;
  /** Null for an operator's key, which belongs to no account. */
  account_id: string | null;
  account_name: string | null;
  operator: string | null;
  mode: 'test' | 'live';
  order_once: boolean | null;
  scopes: string[];
  /** Neither expired nor revoked, by the database's clock. */
  live: boolean;
};

/** Finds a credential by the hash of its text. */
export const FIND_API_KEY = statement<ApiKeyRow>(
  'accounts.find_api_key',
  `SELECT k.id, k.account_id, a.name AS account_name, k.operator, coalesce(a.mode, k.mode) AS mode,
          a.order_once, k.scopes,
          (k.revoked_at IS NULL OR k.revoked_at > payonce_now())
            AND (k.expires_at IS NULL OR k.expires_at > payonce_now()) AS live
     FROM api_keys k
     LEFT JOIN accounts a ON a.id = k.account_id
    WHERE k.key_hash = $1`,
);

/** Makes the account if it is new, and returns it either way. Two makers at once get the same one. */
export const ENSURE_ACCOUNT = statement<{ id: string }>(
  'accounts.ensure_account',
  `INSERT INTO accounts (name, mode) VALUES ($1, $2)
   ON CONFLICT (name, mode) DO UPDATE SET name = EXCLUDED.name
   RETURNING id`,
);

/** Adds a credential. The same text twice is one key. */
export const ADD_API_KEY = statement<{ id: string }>(
  'accounts.add_api_key',
  `INSERT INTO api_keys (account_id, key_hash, prefix, scopes) VALUES ($1, $2, $3, $4)
   ON CONFLICT (key_hash) DO NOTHING
   RETURNING id`,
);

/** Adds the credential of an operator, who belongs to one mode and to no account. */
export const ADD_OPERATOR_KEY = statement<{ id: string }>(
  'accounts.add_operator_key',
  `INSERT INTO api_keys (operator, mode, key_hash, prefix, scopes) VALUES ($1, $2, $3, $4, '{operations}')
   RETURNING id`,
);

/** The successor of a live key: same account or operator, same scopes. The old key goes on for the overlap. */
export const ROTATE_API_KEY = statement<{ id: string }>(
  'accounts.rotate_api_key',
  `WITH old AS (
     UPDATE api_keys
        SET expires_at = least(coalesce(expires_at, 'infinity'), payonce_now() + $4::int * interval '1 second')
      WHERE id = $1::uuid AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > payonce_now())
     RETURNING account_id, operator, mode, scopes
   )
   INSERT INTO api_keys (account_id, operator, mode, key_hash, prefix, scopes)
   SELECT account_id, operator, mode, $2::bytea, $3::text, scopes FROM old
   RETURNING id`,
);

/** Ends a key now. Revoking it again changes nothing. */
export const REVOKE_API_KEY = statement<{ id: string }>(
  'accounts.revoke_api_key',
  `UPDATE api_keys SET revoked_at = coalesce(revoked_at, payonce_now()) WHERE id = $1::uuid RETURNING id`,
);

export const FIND_KEY_MODE = statement<{ mode: 'test' | 'live' }>(
  'accounts.find_key_mode',
  `SELECT coalesce(a.mode, k.mode) AS mode
     FROM api_keys k
     LEFT JOIN accounts a ON a.id = k.account_id
    WHERE k.id = $1::uuid`,
);

export type ApiKeyListRow = {
  id: string;
  /** The account's name, or the operator's: their scopes tell them apart. */
  name: string;
  mode: string;
  prefix: string;
  scopes: string[];
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
};

export const LIST_API_KEYS = statement<ApiKeyListRow>(
  'accounts.list_api_keys',
  `SELECT k.id, coalesce(a.name, k.operator) AS name, coalesce(a.mode, k.mode) AS mode, k.prefix, k.scopes,
          k.created_at, k.expires_at, k.revoked_at
     FROM api_keys k
     LEFT JOIN accounts a ON a.id = k.account_id
    ORDER BY k.operator IS NOT NULL, 2, 3, k.id`,
);
