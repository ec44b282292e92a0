import { hashApiKey, parseApiKey } from '#accounts/api-key.js';
import { type ApiKeyRow, FIND_API_KEY } from '#accounts/api-key.sql.js';
import type { Scope } from '#accounts/manage-api-keys.js';
import type { Db } from '#postgres/db.js';
import type { Clock } from '#seams/clock.js';

/** Who sends a request: an account, or a person of ours. */
export type Caller = AccountCaller | OperatorCaller;

export type AccountCaller = {
  kind: 'account';
  accountId: string;
  accountName: string;
  mode: 'test' | 'live';
  /** The account's own rule about a second key for a live order; null follows the setting. */
  orderOnce: boolean | null;
  scopes: readonly Scope[];
  keyId: string;
};

export type OperatorCaller = {
  kind: 'operator';
  /** The actor of whatever is done. */
  operator: string;
  /** Accounts of the other mode are not there for this operator. */
  mode: 'test' | 'live';
  keyId: string;
};

/** A revoked key is refused within a second: nothing that was read is believed for longer. */
const BELIEVED_MS = 900;
/** Keys remembered at once; beyond it all are forgotten, and asked again. */
const REMEMBERED_MAX = 10_000;

/** Finds out who a request comes from, with one look at the database a second for each key in use. */
export class Authenticator {
  readonly #known = new Map<string, { row: Promise<ApiKeyRow | undefined>; readAtMs: number }>();

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /** Null for no key, a malformed, unknown, expired or revoked one: they all look alike to the caller. */
  async authenticate(rawHeaders: readonly string[]): Promise<Caller | null> {
    const key = bearerKey(rawHeaders);
    if (key === null || parseApiKey(key) === null) return null;
    const row = await this.#find(key);
    return row?.live ? callerOf(row) : null;
  }

  #find(key: string): Promise<ApiKeyRow | undefined> {
    const hash = hashApiKey(key);
    const name = hash.toString('base64');
    const nowMs = this.clock.monotonicMs();
    const known = this.#known.get(name);
    if (known && nowMs - known.readAtMs < BELIEVED_MS) return known.row;
    if (this.#known.size >= REMEMBERED_MAX) this.#known.clear();
    const row = this.db.run(FIND_API_KEY, [hash]).then(([found]) => found);
    this.#known.set(name, { row, readAtMs: nowMs });
    row.catch(() => this.#known.delete(name)); // a failure to look is not an answer
    return row;
  }
}

/** The one Bearer credential of a request; null if there is none, or more than one Authorization header. */
function bearerKey(rawHeaders: readonly string[]): string | null {
  let value: string | null = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'authorization') continue;
    if (value !== null) return null;
    value = rawHeaders[index + 1] ?? '';
  }
  const match = /^Bearer +(\S+)$/i.exec(value ?? '');
  return match?.[1] ?? null;
}

function callerOf(row: ApiKeyRow): Caller {
  const { id: keyId, mode, operator, account_id: accountId, account_name: accountName } = row;
  if (operator !== null) return { kind: 'operator', operator, mode, keyId };
  if (accountId === null || accountName === null) throw new Error('Bug: a key belongs to nobody');
  const scopes = row.scopes as Scope[];
  return {
    kind: 'account',
    accountId,
    accountName,
    mode,
    orderOnce: row.order_once,
    scopes,
    keyId,
  };
}
