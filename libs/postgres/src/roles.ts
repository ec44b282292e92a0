import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { SESSION_LIMITS } from './pool.js';
import { migrationsFolder } from './sql-migrations.js';

/** Owns the saved answers; nobody logs in as it. */
const ANSWERS_ROLE = 'payonce_answers';
const ROLE_TRIES_MAX = 10;

export type RoleReport = {
  /** `ready`: the application's role owns nothing. `owner_only`: every service runs as the owner. */
  kind: 'ready' | 'owner_only';
  lines: string[];
};

type Urls = { appDatabaseUrl?: string | undefined; maintenanceDatabaseUrl?: string | undefined };

/**
 * Makes the login roles that the two URLs name, where this owner may, and gives them their rights.
 * Where it may not, says which promise then rests on the trigger alone, and goes on.
 */
export async function ensureRoles(session: QueryRunner, urls: Urls): Promise<RoleReport> {
  if (!urls.appDatabaseUrl || !urls.maintenanceDatabaseUrl)
    return ownerOnly('no role URLs are set');
  const app = login(urls.appDatabaseUrl);
  const maintenance = login(urls.maintenanceDatabaseUrl);
  try {
    await ensureRole(session, ANSWERS_ROLE, 'NOLOGIN');
    for (const role of [app, maintenance]) await ensureLogin(session, role);
    await limitSessions(session, app.name);
    const [owner] = await session.query('SELECT current_user AS name');
    for (const member of [maintenance.name, owner.name]) await grantAnswers(session, member);
    await giveRights(session, app.name, maintenance.name);
    return { kind: 'ready', lines: [] };
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    return ownerOnly(`this owner may not make or grant roles (${(error as Error).message})`);
  }
}

function ownerOnly(why: string): RoleReport {
  return {
    kind: 'owner_only',
    lines: [
      `Services run as the database's owner: ${why}. That the ledger only grows (P4) then rests on its ` +
        'trigger alone, and session limits on what each connection asks for.',
    ],
  };
}

type Login = { name: string; password: string; url: string };

function login(url: string): Login {
  const { username, password } = new URL(url);
  return { name: decodeURIComponent(username), password: decodeURIComponent(password), url };
}

/** A role that can already log in with its password is left alone: passwords are not reset under running services. */
async function ensureLogin(session: QueryRunner, role: Login): Promise<void> {
  if (await canLogIn(role.url)) return;
  await ensureRole(session, role.name, 'LOGIN');
  const [quoted] = await session.query('SELECT quote_literal($1) AS password', [role.password]);
  await repeatOnRace(() =>
    session.query(`ALTER ROLE ${quote(role.name)} LOGIN PASSWORD ${quoted.password}`),
  );
}

async function canLogIn(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Roles belong to the whole cluster: another database's migration may make the same one at this moment. */
async function ensureRole(session: QueryRunner, name: string, right: string): Promise<void> {
  const [found] = await session.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
  if (found) return;
  await session.query(
    `DO $$ BEGIN
       CREATE ROLE ${quote(name)} ${right};
     EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
     END $$`,
  );
}

/** The same limits that each pool asks for, so that they also hold for a session that did not ask. */
async function limitSessions(session: QueryRunner, name: string): Promise<void> {
  const limits = {
    statement_timeout: SESSION_LIMITS.statementMs,
    lock_timeout: SESSION_LIMITS.lockMs,
    idle_in_transaction_session_timeout: SESSION_LIMITS.idleInTransactionMs,
    client_connection_check_interval: SESSION_LIMITS.clientCheckMs,
  };
  const wanted = [
    ...Object.entries(limits).map(([setting, ms]) => `${setting}=${ms}ms`),
    // Every statement of ours is short: compiling one takes longer than running it.
    'jit=off',
  ];
  const [role] = await session.query('SELECT rolconfig FROM pg_roles WHERE rolname = $1', [name]);
  const present: string[] = role?.rolconfig ?? [];
  if (wanted.every((setting) => present.includes(setting))) return;
  for (const setting of wanted) {
    const [key, value] = setting.split('=');
    await repeatOnRace(() => session.query(`ALTER ROLE ${quote(name)} SET ${key} = '${value}'`));
  }
}

async function grantAnswers(session: QueryRunner, to: string): Promise<void> {
  const [member] = await session.query(`SELECT pg_has_role($1, $2, 'MEMBER') AS yes`, [
    to,
    ANSWERS_ROLE,
  ]);
  if (member.yes) return;
  await repeatOnRace(() => session.query(`GRANT ${ANSWERS_ROLE} TO ${quote(to)}`));
}

async function giveRights(session: QueryRunner, app: string, maintenance: string): Promise<void> {
  const text = readFileSync(join(migrationsFolder(), 'roles.sql'), 'utf8')
    .replaceAll('{{app}}', quote(app))
    .replaceAll('{{maintenance}}', quote(maintenance))
    .replaceAll('{{answers}}', quote(ANSWERS_ROLE));
  await repeatOnRace(() => session.query(text));
  await session.query(`ALTER TABLE saved_answers OWNER TO ${quote(ANSWERS_ROLE)}`);
}

/** "tuple concurrently updated" has no code of its own; it and a duplicate grant mean that somebody did the same. */
async function repeatOnRace(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await work();
      return;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      const raced =
        code === '23505' || code === '42710' || message.includes('concurrently updated');
      if (!raced || tries >= ROLE_TRIES_MAX) throw error;
    }
  }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
