import { withDatabase } from '#embedded/with-database.js';
import { type ApiKeyListRow, LIST_API_KEYS } from '#accounts/api-key.sql.js';
import {
  SCOPES,
  type Scope,
  createApiKey,
  revokeApiKey,
  rotateApiKey,
} from '#accounts/manage-api-keys.js';
import type { Db } from '#postgres/db.js';
import { systemRandom } from '#seams/random.js';
import { type OptionValues, UsageError, runCommand } from './command.js';
import { onDatabase } from './on-database.js';

const HELP = `npm run --silent keys -- create --account NAME [--live] [--scopes a,b]
npm run --silent keys -- rotate ID [--overlap-seconds N]
npm run --silent keys -- revoke ID
npm run --silent keys -- list

Makes, replaces and ends API keys. A key is shown once, alone on standard output; only its hash is kept.

  create   makes the account if it is new, else one more key for it
  rotate   makes a successor with the same rights; the old key works for the overlap (a day by default)
  revoke   ends a key, within a second on every replica
  list     every key's id, account, mode, first characters, scopes and state

  --account NAME         1 to 100 characters
  --live                 a key of the account's live side; without it, of its test side
  --scopes a,b           ${SCOPES.join(', ')} (both by default)
  --overlap-seconds N    0 to 2592000

It finds the embedded database by itself; DATABASE_URL names another (its owner's address).
`;

const OPTIONS = {
  account: { type: 'string' },
  live: { type: 'boolean' },
  scopes: { type: 'string' },
  'overlap-seconds': { type: 'string' },
} as const;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const OVERLAP_SECONDS_DEFAULT = 86_400;
const OVERLAP_SECONDS_MAX = 2_592_000;

/** `npm run keys`. */
export async function main(args: string[]): Promise<void> {
  await runCommand(
    { args, help: HELP, options: OPTIONS },
    async (values, [action, id, ...rest]) => {
      if (rest.length > 0) throw new UsageError(`Too many words: ${rest.join(' ')}`);
      switch (action) {
        case 'create':
          return create(values);
        case 'rotate':
          return rotate(readId(id), readOverlap(values['overlap-seconds']));
        case 'revoke':
          return revoke(readId(id));
        case 'list':
          return list();
        default:
          throw new UsageError(
            `${action === undefined ? 'Say what to do' : `"${action}" is none of these`}: create, rotate, revoke or list.`,
          );
      }
    },
  );
}

async function create(values: OptionValues): Promise<number> {
  const account = String(values['account'] ?? '');
  if (account === '' || [...account].length > 100) {
    throw new UsageError('Name the account with --account NAME, of 1 to 100 characters.');
  }
  const wanted = {
    account,
    mode: values['live'] ? ('live' as const) : ('test' as const),
    scopes: readScopes(values['scopes']),
  };
  const made = await onOwnDatabase((db) => createApiKey({ db, random: systemRandom }, wanted));
  return show(made);
}

async function rotate(id: string, overlapSeconds: number): Promise<number> {
  const made = await onOwnDatabase((db) =>
    rotateApiKey({ db, random: systemRandom }, id, overlapSeconds),
  );
  if (made === null) throw new UsageError(`No active key has the id ${id}.`);
  return show(made);
}

async function revoke(id: string): Promise<number> {
  if (!(await onOwnDatabase((db) => revokeApiKey(db, id)))) {
    throw new UsageError(`No key has the id ${id}.`);
  }
  process.stderr.write(`Revoked ${id}.\n`);
  return 0;
}

async function list(): Promise<number> {
  const rows = await onOwnDatabase((db) => db.run(LIST_API_KEYS, []));
  if (rows.length === 0) process.stderr.write('There are no keys yet; make one with create.\n');
  for (const row of rows) process.stdout.write(`${lineOf(row)}\n`);
  return 0;
}

function lineOf(row: ApiKeyListRow): string {
  const state =
    row.revoked_at !== null
      ? `revoked ${row.revoked_at.toISOString()}`
      : row.expires_at !== null
        ? `until ${row.expires_at.toISOString()}`
        : 'active';
  const { id, account_name, mode, prefix, scopes } = row;
  return [id, account_name, mode, `${prefix}…`, scopes.join(','), state].join('  ');
}

/** The key alone on stdout, so that it can be put straight into a variable. */
function show({ id, key }: { id: string; key: string }): number {
  process.stderr.write(`Made key ${id}. It is shown this once:\n`);
  process.stdout.write(`${key}\n`);
  return 0;
}

function onOwnDatabase<T>(work: (db: Db) => Promise<T>): Promise<T> {
  return withDatabase({ env: process.env, random: systemRandom }, (url) =>
    onDatabase(url, 'payonce-keys', work),
  );
}

function readScopes(text: OptionValues[string]): readonly Scope[] {
  if (text === undefined) return SCOPES;
  const scopes = String(text).split(',');
  const unknown = scopes.filter((scope) => !SCOPES.includes(scope as Scope));
  if (unknown.length > 0) {
    throw new UsageError(`--scopes: ${unknown.join(', ')} is not one of ${SCOPES.join(', ')}.`);
  }
  return [...new Set(scopes)] as Scope[];
}

function readId(text: string | undefined): string {
  if (text === undefined || !UUID.test(text))
    throw new UsageError('Name the key by its id (see list).');
  return text;
}

function readOverlap(text: OptionValues[string]): number {
  if (text === undefined) return OVERLAP_SECONDS_DEFAULT;
  const seconds = /^\d{1,7}$/.test(String(text)) ? Number(text) : Number.NaN;
  if (!(seconds <= OVERLAP_SECONDS_MAX)) {
    throw new UsageError(
      `--overlap-seconds must be a whole number from 0 to ${OVERLAP_SECONDS_MAX}.`,
    );
  }
  return seconds;
}
