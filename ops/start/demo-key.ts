import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureApiKey } from '#accounts/manage-api-keys.js';
import { onDatabase } from '../on-database.js';

const VARIABLE = 'PAYONCE_DEMO_KEY';

/** The demonstration's API key: the environment's, else the constant in `.env.example`. */
export function demoKey(root: string, env: NodeJS.ProcessEnv): string {
  const set = env[VARIABLE];
  if (set) return set;
  const example = readFileSync(join(root, '.env.example'), 'utf8');
  const constant = new RegExp(`^${VARIABLE}=(\\S+)$`, 'm').exec(example)?.[1];
  if (constant === undefined) throw new Error(`.env.example has no line ${VARIABLE}=…`);
  return constant;
}

/**
 * Makes sure that the demonstration's account and key exist. Everybody can read that key, so only a
 * database that exists for a demonstration gets it.
 */
export async function makeDemoKey(ownerUrl: string, key: string): Promise<void> {
  await onDatabase(ownerUrl, 'payonce-start', (db) => ensureApiKey(db, 'demo', key));
}
