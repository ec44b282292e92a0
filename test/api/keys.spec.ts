import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkoutRoot } from '#embedded/home.js';
import { ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { until } from '#testing/until.js';

describe('npm run keys', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem()));
  afterAll(() => system.close());

  function keys(...args: string[]) {
    const run = spawnSync(
      process.execPath,
      [join(checkoutRoot(), 'ops/run.mjs'), 'keys', ...args],
      {
        env: { ...process.env, DATABASE_URL: system.database.url },
        encoding: 'utf8',
      },
    );
    const id = /Made key (\S+)\./.exec(run.stderr)?.[1] ?? '';
    return {
      status: run.status,
      key: run.stdout.trim(),
      stdout: run.stdout,
      stderr: run.stderr,
      id,
    };
  }
  const as = (key: string) => new ApiClient(system.client.url, key);

  it('makes an account and a key, alone on standard output, that pays', async () => {
    const made = keys('create', '--account', 'shop');
    expect(made.stdout).toMatch(/^po_test_[0-9A-Za-z]{38}\n$/);
    expect((await as(made.key).pay()).status).toBe(201);
    const live = keys('create', '--account', 'shop', '--live');
    expect(live.key).toMatch(/^po_live_/);
  });

  it('makes one more key for an account, which replays what the first paid', async () => {
    const [first, second] = [
      keys('create', '--account', 'two'),
      keys('create', '--account', 'two'),
    ];
    const intent = randomUUID();
    const paid = await as(first.key).pay({}, intent);
    const replayed = await as(second.key).pay({}, intent);
    expect([replayed.status, replayed.text]).toEqual([201, paid.text]);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
  });

  it('limits a key to the scopes that it was given', async () => {
    const { key } = keys('create', '--account', 'reader', '--scopes', 'payments:read');
    expect((await as(key).pay()).json.code).toBe('forbidden');
    expect((await as(key).get('/v1/payments')).status).toBe(200);
  });

  it('rotates with an overlap in which both keys work, and without one', async () => {
    const old = keys('create', '--account', 'rotated');
    const successor = keys('rotate', old.id);
    expect((await as(old.key).pay()).status).toBe(201);
    expect((await as(successor.key).pay()).status).toBe(201);
    const next = keys('rotate', successor.id, '--overlap-seconds', '0');
    expect((await as(next.key).pay()).status).toBe(201);
    await untilRefused(successor.key);
  });

  it('revokes within a second, although the key was used just before', async () => {
    const { key, id } = keys('create', '--account', 'revoked');
    expect((await as(key).pay()).status).toBe(201);
    await system.owner.query('UPDATE api_keys SET revoked_at = payonce_now() WHERE id = $1', [id]);
    const revokedMs = performance.now();
    // What is asked a second later is refused, however long an answer takes.
    expect(await untilRefused(key)).toBeLessThan(revokedMs + 1_000);
    expect(keys('revoke', id).status).toBe(0); // again: nothing changes
  });

  it('says of a key that works that it is active, which no side of an account is called', () => {
    const { id } = keys('create', '--account', 'listed');
    const line = keys('list')
      .stdout.split('\n')
      .find((one) => one.startsWith(id));
    expect(line?.split('  ').slice(1)).toEqual([
      'listed',
      'test',
      expect.stringMatching(/^po_test_/),
      'payments:write,payments:read',
      'active',
    ]);
  });

  it('lists keys without the text of any', async () => {
    const { key, id } = keys('create', '--account', 'listed');
    const { stdout } = keys('list');
    expect(stdout).toContain(id);
    expect(stdout).toContain('listed');
    expect(stdout).not.toContain(key);
  });

  it.each([
    [['create'], '--account'],
    [['create', '--account', 'x', '--scopes', 'operations'], '--scopes'],
    [['rotate', 'nonsense'], 'id'],
    [['rotate', '01a233e7-08f5-7c76-a614-c3a439d6d050'], '01a233e7'],
    [['revoke', '01a233e7-08f5-7c76-a614-c3a439d6d050'], '01a233e7'],
    [['destroy'], '"destroy" is none of these: create, rotate'],
    [[], 'what to do: create, rotate, revoke or list'],
  ])('refuses %j and says what is wrong', (args, words) => {
    const { status, stdout, stderr } = keys(...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
  });

  /** Returns when the last request that was accepted was sent. */
  async function untilRefused(key: string): Promise<number> {
    let acceptedMs = -Infinity;
    await until(async () => {
      const sentMs = performance.now();
      const { status } = await as(key).get('/v1/payments');
      if (status !== 401) acceptedMs = sentMs;
      return status === 401;
    });
    return acceptedMs;
  }
});
