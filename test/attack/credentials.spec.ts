import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey } from '#accounts/api-key.js';
import { ApiClient, honestBody } from '#testing/http.js';
import { rawPayment, sendRaw } from '#testing/raw-request.js';
import { type System, startSystem } from '#testing/system.js';

let system: System;
beforeAll(async () => void (system = await startSystem()));
afterAll(() => system.close());

const charged = async () => (await system.booked('charge')).length;

describe('a credential that is nearly one', () => {
  const cases: [what: string, lines: (key: string) => string[], status: number][] = [
    ['its prefix alone', (key) => [`Authorization: Bearer ${key.slice(0, 12)}`], 401],
    ['cut by one character', (key) => [`Authorization: Bearer ${key.slice(0, -1)}`], 401],
    ['in another case', (key) => [`Authorization: Bearer ${key.toLowerCase()}`], 401],
    ['with a character more', (key) => [`Authorization: Bearer ${key}0`], 401],
    ['with a word behind it', (key) => [`Authorization: Bearer ${key} x`], 401],
    ['without its scheme', (key) => [`Authorization: ${key}`], 401],
    ['of another scheme', (key) => [`Authorization: Basic ${key}`], 401],
    [
      'in two headers',
      (key) => [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`],
      401,
    ],
    ['in another header', (key) => [`X-Api-Key: ${key}`], 401],
    ['with NUL behind it', (key) => [`Authorization: Bearer ${key}\0`], 400],
    ['a megabyte long', (key) => [`Authorization: Bearer ${key}${'0'.repeat(1_000_000)}`], 431],
  ];

  it.each(cases)('%s: is refused, and nothing is charged', async (_what, lines, status) => {
    const before = await charged();
    const { apiKey, url } = system.client;
    const all = [...lines(apiKey), `Idempotency-Key: ${randomUUID()}`];
    const request = rawPayment('', all, JSON.stringify(honestBody())).toString('latin1');
    const alone = Buffer.from(request.replace('Authorization: Bearer \r\n', ''), 'latin1');
    const answer = await sendRaw(url, alone);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain(apiKey);
    expect(await charged()).toBe(before);
  });

  it('in the address: is none', async () => {
    const { url, apiKey } = system.client;
    const answer = await fetch(`${url}/v1/payments?api_key=${apiKey}&access_token=${apiKey}`);
    expect(answer.status).toBe(401);
  });

  it('is told the same whether it was never made, has ended or has no right sum', async () => {
    const revoked = await system.newClient();
    const sql = 'UPDATE api_keys SET revoked_at = payonce_now() WHERE key_hash = $1';
    await system.owner.query(sql, [hashApiKey(revoked.apiKey)]);
    const unknown = 'po_test_0123456789ABCDEFGHIJKLMNOPQRSTUV0HOhnf';
    const answers = [];
    for (const key of [revoked.apiKey, unknown, `${unknown.slice(0, -1)}0`, 'x']) {
      const { status, json } = await new ApiClient(system.client.url, key).get('/v1/payments');
      answers.push({ status, ...json, request_id: null });
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });
});

describe('a finished key as an oracle', () => {
  it('tells nothing to a key whose rights were taken away since', async () => {
    const client = await system.newClient();
    const key = randomUUID();
    expect((await client.pay({}, key)).status).toBe(201);
    const sql = `UPDATE api_keys SET scopes = '{payments:read}' WHERE key_hash = $1`;
    await system.owner.query(sql, [hashApiKey(client.apiKey)]);
    // Nothing that was read of a key is believed for a second.
    await expect
      .poll(async () => (await client.pay({}, key)).status, { timeout: 10_000 })
      .toBe(403);
    const other = await client.pay({ amount: 1 }, key);
    expect([other.status, other.headers.get('original-request')]).toEqual([403, null]);
  });

  it('lets what runs end, though the key is revoked meanwhile; its retry is refused', async () => {
    const client = await system.newClient();
    const key = randomUUID();
    const running = client.pay({ payment_method: 'pm_test_slow_700' }, key);
    await expect
      .poll(
        async () =>
          (await system.owner.query(`SELECT FROM attempts WHERE closed_at IS NULL`)).rowCount,
      )
      .toBe(1);
    const sql = 'UPDATE api_keys SET revoked_at = payonce_now() WHERE key_hash = $1';
    await system.owner.query(sql, [hashApiKey(client.apiKey)]);
    expect((await running).status).toBe(201);
    await expect
      .poll(async () => (await client.pay({}, key)).status, { timeout: 10_000 })
      .toBe(401);
  });
});
