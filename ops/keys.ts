import { withDatabase } from '#embedded/with-database.js';
import { type ApiKeyListRow, LIST_API_KEYS } from '#accounts/api-key.sql.js';
import {
  OPERATOR_SCOPE,
  SCOPES,
  type NewKey,
  type Scope,
  createApiKey,
  createOperatorKey,
  revokeApiKey,
  rotateApiKey,
} from '#accounts/manage-api-keys.js';
import type { Db } from '#postgres/db.js';
import { systemRandom } from '#seams/random.js';
import { type OptionValues, UsageError, runCommand } from './command.js';
import { onDatabase } from './on-database.js';

const HELP = `npm run --silent keys -- create --account NAME [--live] [--scopes a,b]
npm run --silent keys -- create --operator NAME [--live]
npm run --silent keys -- rotate ID [--overlap-seconds N]
npm run --silent keys -- revoke ID
npm run --silent keys -- list

Makes, replaces and ends API keys. A key is shown once, alone on standard output; only its hash is kept.

  create   for an account, which it makes if it is new; or for an operator: one of us, without an account,
           who acts on /v1/operations and reads the payments of every account of that mode
  rotate   makes a successor with the same rights; the old key works for the overlap (a day by default)
  revoke   ends a key, within a second on every replica
  list     every key's id, account or operator, mode, first characters, scopes and state

  --account NAME         1 to 100 characters
  --operator NAME        1 to 100 characters: the actor of every act that is done with this key
  --live                 a key for the live side; without it, for the test side
  --scopes a,b           of an account's key: ${SCOPES.join(', ')} (both by default)
  --overlap-seconds N    0 to 2592000

It finds the embedded database by itself; DATABASE_URL names another (its owner's address).
`;

const OPTIONS = {
  account: { type: 'string' },
  operator: { type: 'string' },
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
  const make = values['operator'] === undefined ? forAccount(values) : forOperator(values);
  return show(await onOwnDatabase(make));
}

function forAccount(values: OptionValues): (db: Db) => Promise<NewKey> {
  const account = readName(values, 'account');
  const scopes = readScopes(values['scopes']);
  const wanted = { account, mode: modeOf(values), scopes };
  return (db) => createApiKey({ db, random: systemRandom }, wanted);
}

function forOperator(values: OptionValues): (db: Db) => Promise<NewKey> {
  if (values['account'] !== undefined) {
    throw new UsageError('An operator has no account: give --operator or --account, not both.');
  }
  if (values['scopes'] !== undefined) {
    throw new UsageError(
      `--scopes: an operator's key has the scope ${OPERATOR_SCOPE} and no other.`,
    );
  }
  const wanted = { operator: readName(values, 'operator'), mode: modeOf(values) };
  return (db) => createOperatorKey({ db, random: systemRandom }, wanted);
}

/** Names are compared as they are, also to tell two people apart: none may only look like another. */
function readName(values: OptionValues, option: 'account' | 'operator'): string {
  const name = String(values[option] ?? '');
  if (name === '' || [...name].length > 100) {
    throw new UsageError(`Name the ${option} with --${option} NAME, of 1 to 100 characters.`);
  }
  if (option === 'operator' && (name.trim() !== name || /\p{C}/u.test(name))) {
    throw new UsageError('--operator: a name has no blanks around it and no invisible characters.');
  }
  // What closed by itself has it as `closed_by`, and opens again when the difference comes back.
  if (option === 'operator' && name.toLowerCase() === 'payonce') {
    throw new UsageError('--operator: payonce is the name of the service itself; name a person.');
  }
  return name;
}

function modeOf(values: OptionValues): 'test' | 'live' {
  return values['live'] ? 'live' : 'test';
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
  const { id, name, mode, prefix, scopes } = row;
  return [id, name, mode, `${prefix}…`, scopes.join(','), state].join('  ');
}

/** The key alone on stdout, so that it can be put straight into a variable. */
function show({ id, key }: NewKey): number {
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
  if (scopes.includes(OPERATOR_SCOPE)) {
    throw new UsageError(
      `--scopes: ${OPERATOR_SCOPE} is for operators, who have no account: create --operator NAME.`,
    );
  }
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
