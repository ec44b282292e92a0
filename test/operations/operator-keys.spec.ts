import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkoutRoot } from '#embedded/home.js';
import { ApiClient } from '#testing/http.js';
import { refusalOf } from '#testing/sessions.js';
import { type System, startSystem } from '#testing/system.js';

describe('npm run keys, for operators', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem()));
  afterAll(() => system.close());

  function keys(...args: string[]) {
    const run = spawnSync(
      process.execPath,
      [join(checkoutRoot(), 'ops/run.mjs'), 'keys', ...args],
      { env: { ...process.env, DATABASE_URL: system.database.url }, encoding: 'utf8' },
    );
    const id = /Made key (\S+)\./.exec(run.stderr)?.[1] ?? '';
    const { status, stdout, stderr } = run;
    return { status, stdout, stderr, id, key: stdout.trim() };
  }
  const statusOf = async (key: string) =>
    (await new ApiClient(system.client.url, key).get('/v1/payments')).status;
  const untilRefused = (key: string) => expect.poll(() => statusOf(key)).toBe(401);

  it('prints the key alone, of the mode that was asked for, and makes no account', async () => {
    const made = keys('create', '--operator', 'Ann');
    expect(made.stdout).toMatch(/^po_test_[0-9A-Za-z]{38}\n$/);
    expect(await statusOf(made.key)).toBe(200);
    const live = keys('create', '--operator', 'Ann', '--live');
    expect(live.stdout).toMatch(/^po_live_[0-9A-Za-z]{38}\n$/);
    const { rows } = await system.owner.query(
      `SELECT account_id, operator, mode, scopes FROM api_keys WHERE id = ANY ($1) ORDER BY mode`,
      [[made.id, live.id]],
    );
    const ofOperator = { account_id: null, operator: 'Ann', scopes: ['operations'] };
    expect(rows).toEqual([
      { ...ofOperator, mode: 'live' },
      { ...ofOperator, mode: 'test' },
    ]);
    const accounts = await system.owner.query(`SELECT name FROM accounts WHERE name = 'Ann'`);
    expect(accounts.rows).toEqual([]);
  });

  it('rotates such a key to one of the same operator and mode, and revokes it', async () => {
    const old = keys('create', '--operator', 'Rotated', '--live');
    const next = keys('rotate', old.id, '--overlap-seconds', '0');
    expect(next.stdout).toMatch(/^po_live_/);
    expect(await statusOf(next.key)).toBe(200);
    await untilRefused(old.key);
    const { rows } = await system.owner.query('SELECT operator, mode FROM api_keys WHERE id = $1', [
      next.id,
    ]);
    expect(rows).toEqual([{ operator: 'Rotated', mode: 'live' }]);
    expect(keys('revoke', next.id).status).toBe(0);
    await untilRefused(next.key);
  });

  it('lists it under the name of the operator', () => {
    const { id } = keys('create', '--operator', 'Listed');
    const lines = keys('list').stdout.split('\n');
    const line = lines.find((one) => one.startsWith(id));
    expect(line?.split('  ').slice(1)).toEqual([
      'Listed',
      'test',
      expect.stringMatching(/^po_test_/),
      'operations',
      'active',
    ]);
  });

  it('takes any name of 1 to 100 characters', () => {
    expect(keys('create', '--operator', '木'.repeat(100)).status).toBe(0);
  });

  it.each([
    ['an empty name', ['--operator', ''], '--operator NAME, of 1 to 100'],
    ['a long name', ['--operator', 'x'.repeat(101)], '--operator NAME, of 1 to 100'],
    ['a blank at its end', ['--operator', 'Ann '], 'no blanks around it'],
    ['an invisible character', ['--operator', 'An\u200bn'], 'no invisible characters'],
    ['the name that breaks are closed by themselves under', ['--operator', 'payonce'], 'a person'],
    ['an account as well', ['--operator', 'Ann', '--account', 'shop'], 'not both'],
    ['a scope', ['--operator', 'Ann', '--scopes', 'payments:write'], 'and no other'],
    [
      'that scope for an account',
      ['--account', 'shop', '--scopes', 'payments:read,operations'],
      'operations is for operators, who have no account: create --operator NAME',
    ],
  ])('refuses %s', (_what, args, words) => {
    const { status, stdout, stderr } = keys('create', ...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
  });

  it('is explained by --help', () => {
    expect(keys('--help').stdout).toContain('create --operator NAME [--live]');
  });

  it.each([
    ['nobody', `NULL, NULL, NULL, '{payments:read}'`, 'api_keys_account_or_operator'],
    [
      'both',
      `(SELECT min(id::text)::uuid FROM accounts), 'Ann', 'test', '{operations}'`,
      /operator/,
    ],
    ['an operator of no mode', `NULL, 'Ann', NULL, '{operations}'`, /operator/],
    [
      'an operator who pays',
      `NULL, 'Ann', 'test', '{operations,payments:write}'`,
      'api_keys_scopes',
    ],
    ['an operator without a right', `NULL, 'Ann', 'test', '{}'`, 'api_keys_scopes'],
    [
      'an account that operates',
      `(SELECT min(id::text)::uuid FROM accounts), NULL, NULL, '{operations}'`,
      'api_keys_scopes',
    ],
  ])('the database refuses a key of %s, even to its owner', async (_whose, values, constraint) => {
    const insert = `INSERT INTO api_keys (account_id, operator, mode, scopes, key_hash, prefix)
                    VALUES (${values}, sha256('x'), 'po')`;
    const refused = await refusalOf(system.owner, insert);
    expect(refused?.constraint).toMatch(constraint);
  });
});
