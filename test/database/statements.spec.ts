import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Statement, registeredStatements } from '#postgres/statement.js';
import { MAKE_APART } from '#reconciliation/apart.sql.js';
import { MAKE_BOOKED_OTHERWISE, MAKE_PAID_OUT } from '#reconciliation/payouts.sql.js';
import { type TestDatabase, createTestDatabase } from '#testing/database.js';
import { Sessions } from '#testing/sessions.js';

/** Commands run as the owner: those that make and end API keys, and verify. The rest is the services'. */
const isOwners = ({ name }: Statement<unknown>) =>
  name.startsWith('verify.') || (name.startsWith('accounts.') && name !== 'accounts.find_api_key');
/** On the path of every payment or retry. */
const HOT = ['payments.claim', 'payments.find_key', 'payments.record', 'payments.take_up'];

// Those of the figures stay out: they count through an extension that a service's database does not have.
const root = join(import.meta.dirname, '../..');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /^(apps|libs|ops\/verify)\/.+\.sql\.ts$/.test(file),
);
for (const file of files) await import(/* @vite-ignore */ join(root, file));
// A worker that ran other specs before may know statements of tests and of the figures as well.
const statements = registeredStatements().filter(
  ({ name }) => !/^(test|figures|prove)\./.test(name),
);

describe('SQL statements', () => {
  const sessions = new Sessions();
  let database: TestDatabase;
  let app: pg.Client;
  let owner: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    app = await sessions.open(database.appUrl);
    owner = await sessions.open(database.url);
    await fill(owner);
    for (const { text } of [...MAKE_APART, MAKE_PAID_OUT, MAKE_BOOKED_OTHERWISE])
      await app.query(text); // of the session that compares
    for (const session of [app, owner]) {
      await session.query('SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off');
    }
  });
  afterAll(async () => {
    await sessions.close();
    await database.drop();
  });

  it('are all found, each under its own name', () => {
    expect(statements.length).toBeGreaterThanOrEqual(files.length);
    const names = statements.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(HOT));
  });

  it.each(statements)('$name fits the schema, and its role may run it', async (statement) => {
    const session = isOwners(statement) ? owner : app;
    expect(await prepare(session, statement)).toMatchSnapshot();
    await planOf(session, statement); // the right to run is asked for when a plan is opened
  });

  it.each(statements.filter(({ name }) => HOT.includes(name)))(
    '$name finds every row by its account, and scans nothing',
    async (statement) => {
      await prepare(app, statement);
      const scans = scansOf(await planOf(app, statement));
      expect(scans.length).toBeGreaterThan(0);
      for (const scan of scans) {
        if (scan['Relation Name']?.startsWith('pg_')) continue; // the server's own
        if (scan['Relation Name'] === 'recoveries') continue; // a row for each restore ever: on every node
        expect(scan['Node Type'], JSON.stringify(scan)).toMatch(/^(Index|Index Only) Scan$/);
        expect(scan['Index Cond']).toMatch(/\baccount_id = /);
      }
    },
  );

  async function prepare(session: pg.Client, { name, text }: Statement<unknown>) {
    await session.query(`DEALLOCATE ALL`);
    await session.query(`PREPARE "${name}" AS ${text}`);
    const version = await session.query(`SELECT current_setting('server_version_num')::int AS is`);
    // PostgreSQL 15 does not tell result types; the run's own server, which makes the snapshot, does.
    const results = version.rows[0].is >= 160_000 ? 'result_types::text[]' : 'NULL::text[]';
    const { rows } = await session.query(
      `SELECT parameter_types::text[] AS takes, ${results} AS returns FROM pg_prepared_statements`,
    );
    return rows[0];
  }
});

/** Plans are those of a system in use only where there are rows, and statistics of them. */
async function fill(owner: pg.Client): Promise<void> {
  await owner.query(`
    SET session_replication_role = replica;
    CREATE TEMP TABLE made AS
    SELECT md5('account' || n % 10)::uuid AS account_id, md5('payment' || n)::uuid AS payment_id,
           md5('operation' || n)::uuid AS operation_id, sha256(int8send(n)) AS key_hash
      FROM generate_series(1, 5000) AS n;
    INSERT INTO payments (account_id, id, status, amount, currency, payment_method, order_id, metadata,
                          capture, processor_name, created_at)
    SELECT account_id, payment_id, 'pending', 1, 'myr', 'pm', payment_id, '{}', 'automatic', 'mock', now()
      FROM made;
    INSERT INTO idempotency_keys (account_id, key_hash, claim_id, operation, fingerprint, fingerprint_version,
                                  state, locked_until, lease_token, payment_id, operation_id, request_id,
                                  claimed_at, ends_at)
    SELECT account_id, key_hash, payment_id, 'pay', key_hash, 1, 'started', now(), payment_id, payment_id,
           operation_id, 'req', now(), now()
      FROM made;
    INSERT INTO operations (account_id, id, payment_id, kind, key_hash, processor_name, processor_account,
                            processor_key, api_version, rendering_version, amount, currency, attempts_made,
                            created_at)
    SELECT account_id, operation_id, payment_id, 'charge', key_hash, 'mock', 'acct', payment_id, 'v', 1, 1,
           'myr', 1, now()
      FROM made;
    INSERT INTO attempts (account_id, operation_id, attempt_no, action, actor, request_id, opened_at)
    SELECT account_id, operation_id, 1, 'send', 'request', 'req', now() FROM made;
    INSERT INTO order_slots SELECT account_id, payment_id, payment_id, now() FROM made;
    INSERT INTO unresolved SELECT account_id, key_hash, payment_id, payment_id, 'why', 0, 0, now(), now()
      FROM made;
    RESET session_replication_role;
    ANALYZE`);
}

type Plan = {
  'Relation Name'?: string;
  'Node Type': string;
  'Index Cond'?: string;
  Plans?: Plan[];
};

async function planOf(session: pg.Client, { name }: Statement<unknown>): Promise<Plan> {
  const { rows } = await session.query(
    `SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = $1`,
    [name],
  );
  const nulls = Array.from({ length: rows[0].count }, () => 'NULL').join(', ');
  const execute = `EXECUTE "${name}"${nulls && `(${nulls})`}`;
  const explained = await session.query(`EXPLAIN (FORMAT JSON) ${execute}`);
  return explained.rows[0]['QUERY PLAN'][0].Plan;
}

/** Every node that reads a table. */
function scansOf(plan: Plan): Plan[] {
  const below = (plan.Plans ?? []).flatMap(scansOf);
  return 'Relation Name' in plan && plan['Node Type'] !== 'ModifyTable' ? [plan, ...below] : below;
}
