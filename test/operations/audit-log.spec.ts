import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, createTestDatabase } from '#testing/database.js';
import { Sessions, refusalOf } from '#testing/sessions.js';

const NO_RIGHT = '42501';
const ROW = `'test', 'Ann', 'a.b', 'operation:1', 'because', '{}', '{}'`;
const COLUMNS = 'mode, actor, action, target, reason, before, after';
const CHANGES = [
  `UPDATE audit_log SET actor = 'somebody else'`,
  'DELETE FROM audit_log',
  'TRUNCATE audit_log',
];

describe('the audit log', () => {
  const sessions = new Sessions();
  let database: TestDatabase;
  let app: pg.Client;
  let owner: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    app = await sessions.open(database.appUrl);
    owner = await sessions.open(database.url);
    await app.query(`INSERT INTO audit_log (${COLUMNS}) VALUES (${ROW})`);
  });
  afterAll(async () => {
    await sessions.close();
    await database.drop();
  });

  it.each([
    ...CHANGES,
    `INSERT INTO audit_log (at, ${COLUMNS}) VALUES ('2020-01-01', ${ROW})`,
    `INSERT INTO audit_log (id, ${COLUMNS}) VALUES (payonce_uuid_v7(), ${ROW})`,
    'ALTER TABLE audit_log DISABLE TRIGGER ALL',
    `INSERT INTO api_keys (operator, mode, scopes, key_hash, prefix)
     VALUES ('Bob', 'test', '{operations}', sha256('x'), 'po')`,
  ])('gives the services no right to: %s', async (change) => {
    const refused = await refusalOf(app, change);
    expect(refused).toMatchObject({ code: NO_RIGHT });
    expect(refused).not.toHaveProperty('constraint');
  });

  it.each(CHANGES)('refuses its owner, also as a replica: %s', async (change) => {
    for (const role of ['origin', 'replica']) {
      await owner.query(`SET session_replication_role = ${role}`);
      expect(await refusalOf(owner, change)).toMatchObject({ constraint: 'audit_only_grows' });
    }
    await owner.query('RESET session_replication_role');
  });

  it.each([
    ['a reason', `'test', 'Ann', 'a.b', 'operation:1', '', '{}', '{}'`, 'audit_log_reason_length'],
    ['an actor', `'test', '', 'a.b', 'operation:1', 'why', '{}', '{}'`, 'audit_log_actor_length'],
  ])('takes no row without %s', async (_what, values, constraint) => {
    const insert = `INSERT INTO audit_log (${COLUMNS}) VALUES (${values})`;
    expect(await refusalOf(app, insert)).toMatchObject({ constraint });
  });

  it('is as it was after all that', async () => {
    const { rows } = await owner.query('SELECT actor, reason FROM audit_log');
    expect(rows).toEqual([{ actor: 'Ann', reason: 'because' }]);
  });
});
