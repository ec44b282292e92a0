import type { Db } from '#postgres/db.js';
import type { Random } from '#seams/random.js';
import { displayPrefix, hashApiKey, mintApiKey, parseApiKey } from './api-key.js';
import {
  ADD_API_KEY,
  ADD_OPERATOR_KEY,
  ENSURE_ACCOUNT,
  FIND_KEY_MODE,
  REVOKE_API_KEY,
  ROTATE_API_KEY,
} from './api-key.sql.js';

/** What an account's key may do. */
export const SCOPES = ['payments:write', 'payments:read'] as const;
export type Scope = (typeof SCOPES)[number];
/** What an operator's key may do, and no account's: the database holds them apart as well. */
export const OPERATOR_SCOPE = 'operations';

/** The text of a key exists here and on the caller's screen, and nowhere else. */
export type NewKey = { id: string; key: string };
export type KeyDeps = { db: Db; random: Random };

/** Makes a key, and its account if that is new. Needs the database owner's connection. */
export async function createApiKey(
  { db, random }: KeyDeps,
  wanted: { account: string; mode: 'test' | 'live'; scopes: readonly Scope[] },
): Promise<NewKey> {
  const key = mintApiKey(random, wanted.mode);
  const id = await addKey(db, wanted.account, wanted.mode, wanted.scopes, key);
  if (id === null) throw new Error('Bug: a random key is there already');
  return { id, key };
}

/** Makes a key for an operator: a person of ours, who has no account. Needs the database owner's connection. */
export async function createOperatorKey(
  { db, random }: KeyDeps,
  wanted: { operator: string; mode: 'test' | 'live' },
): Promise<NewKey> {
  const key = mintApiKey(random, wanted.mode);
  const values = [wanted.operator, wanted.mode, hashApiKey(key), displayPrefix(key)];
  const [made] = await db.run(ADD_OPERATOR_KEY, values);
  if (!made) throw new Error('Bug: the key was not made');
  return { id: made.id, key };
}

/** Makes sure that one fixed key exists: the demonstration's, on its own database only. */
export async function ensureApiKey(db: Db, account: string, key: string): Promise<void> {
  const parsed = parseApiKey(key);
  if (parsed === null) throw new Error('The fixed key is not an API key of ours');
  await addKey(db, account, parsed.mode, SCOPES, key);
}

async function addKey(
  db: Db,
  account: string,
  mode: string,
  scopes: readonly Scope[],
  key: string,
): Promise<string | null> {
  const [made] = await db.run(ENSURE_ACCOUNT, [account, mode]);
  if (!made) throw new Error('Bug: the account was neither made nor found');
  const [added] = await db.run(ADD_API_KEY, [
    made.id,
    hashApiKey(key),
    displayPrefix(key),
    [...scopes],
  ]);
  return added?.id ?? null;
}

/** Makes the successor of a key; the old one is refused after the overlap. Null if no live key has that id. */
export async function rotateApiKey(
  { db, random }: KeyDeps,
  id: string,
  overlapSeconds: number,
): Promise<NewKey | null> {
  const [found] = await db.run(FIND_KEY_MODE, [id]);
  if (!found) return null;
  const key = mintApiKey(random, found.mode);
  const [made] = await db.run(ROTATE_API_KEY, [
    id,
    hashApiKey(key),
    displayPrefix(key),
    overlapSeconds,
  ]);
  return made ? { id: made.id, key } : null;
}

/** Ends a key within a second on every replica. False if there is no such key. */
export async function revokeApiKey(db: Db, id: string): Promise<boolean> {
  return (await db.run(REVOKE_API_KEY, [id])).length > 0;
}
