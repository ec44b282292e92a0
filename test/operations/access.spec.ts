import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';

type Route = { method: string; path: string };

let system: System;
let operator: ApiClient;
let liveOperator: ApiClient;
let other: ApiClient;
let routes: Route[];
beforeAll(async () => {
  system = await startSystem();
  [operator, liveOperator] = [
    await system.newOperator('Ann'),
    await system.newOperator('Ann', 'live'),
  ];
  other = await system.newClient({ name: 'other' });
  const { paths } = (await system.client.get('/openapi.json')).json;
  routes = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
  routes = routes.filter(({ path }) => path.startsWith('/v1/'));
});
afterAll(() => system.close());

/** What an operator reads of every account; all else outside /v1/operations moves money, or is not theirs. */
const READABLE = /^\/v1\/(payments|refunds|ledger)\b/;
const isOperations = ({ path }: Route) => path.startsWith('/v1/operations');
const isReadable = ({ method, path }: Route) => method === 'GET' && READABLE.test(path);

async function answersOf(client: ApiClient, chosen: Route[]) {
  const found: Record<string, { status: number; code: string; detail: string }> = {};
  for (const { method, path } of chosen) {
    const at = path.replaceAll(/\{\w+\}/g, '01a233e6-aba2-79be-9656-082ea888f483');
    const { status, json } = await client.send(method, at, {
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      ...(method === 'GET' ? {} : { body: '{}' }),
    });
    found[`${method} ${path}`] = { status, code: json.code, detail: json.detail };
  }
  return found;
}

const all = (chosen: Route[], answer: object) =>
  Object.fromEntries(chosen.map(({ method, path }) => [`${method} ${path}`, answer]));

describe('every route', () => {
  it('is closed to who has no key, or one that was never made', async () => {
    expect(routes.length).toBeGreaterThan(5);
    const unknown = { status: 401, code: 'unauthenticated', detail: expect.any(String) };
    for (const key of ['', 'po_test_0123456789ABCDEFGHIJKLMNOPQRSTUV0HOhnf']) {
      const nobody = new ApiClient(system.client.url, key);
      expect(await answersOf(nobody, routes)).toEqual(all(routes, unknown));
    }
  });

  it('of operators is closed to accounts, and says so', async () => {
    const closed = routes.filter(isOperations);
    const detail = "/v1/operations is for operators; this API key is an account's.";
    expect(await answersOf(system.client, closed)).toEqual(
      all(closed, { status: 403, code: 'forbidden', detail }),
    );
  });

  it('outside of theirs is closed to operators, reading apart, and says so', async () => {
    const closed = routes.filter((route) => !isOperations(route) && !isReadable(route));
    expect(closed.length).toBeGreaterThan(2);
    const detail = expect.stringContaining('acts on /v1/operations and reads payments');
    expect(await answersOf(operator, closed)).toEqual(
      all(closed, { status: 403, code: 'forbidden', detail }),
    );
  });

  it('that operators act on or read lets them pass, and fails on no bug', async () => {
    const open = routes.filter((route) => isOperations(route) || isReadable(route));
    expect(open.length).toBeGreaterThan(2);
    for (const [route, { status }] of Object.entries(await answersOf(operator, open))) {
      expect([200, 400, 404, 409], route).toContain(status);
    }
  });
});

describe('an operator', () => {
  it('reads the payments of every account of their mode, and their timelines', async () => {
    for (const client of [system.client, other]) {
      const { json } = await client.pay();
      const read = await operator.get(`/v1/payments/${json.id}`);
      expect([read.status, read.text]).toEqual([200, JSON.stringify(json)]);
      const timeline = await operator.get(`/v1/payments/${json.id}/timeline`);
      expect(timeline.text).toBe((await client.get(`/v1/payments/${json.id}/timeline`)).text);
    }
  });

  it('of the other mode finds nothing of it: not there, and not of this mode, answer alike', async () => {
    const live = await system.newClient({ name: 'first', mode: 'live' });
    const ofTest = (await system.client.pay()).json.id;
    const ofLive = (await live.pay()).json.id;
    const absent = '01a233e6-aba2-79be-9656-082ea888f483';
    const shape = (id: string, suffix: string, client: ApiClient) =>
      client
        .get(`/v1/payments/${id}${suffix}`)
        .then(({ status, json }) => ({ status, ...json, request_id: null }));
    for (const suffix of ['', '/timeline']) {
      const missing = await shape(absent, suffix, operator);
      expect(missing).toMatchObject({ status: 404, code: 'payment_not_found' });
      expect(await shape(ofLive, suffix, operator)).toEqual(missing);
      expect(await shape(ofTest, suffix, liveOperator)).toEqual(missing);
    }
    const listed = await liveOperator.get('/v1/payments');
    expect(listed.json.data.map(({ id }: { id: string }) => id)).toEqual([ofLive]);
    expect((await liveOperator.get(`/v1/payments?account_id=${system.account.id}`)).json).toEqual({
      data: [],
      next: null,
    });
  });

  it('asks the processor first about a payment that nobody knows the end of', async () => {
    const { json } = await system.client.pay({ payment_method: 'pm_test_lose_response' });
    await expect
      .poll(async () => (await operator.get(`/v1/payments/${json.id}`)).json.status)
      .toBe('succeeded');
  });

  it('pages through the payments of all accounts, newest first, none twice and none left out', async () => {
    const clients = [system.client, other];
    for (let at = 0; at < 7; at++) await clients[at % 2]?.pay();
    const seen: string[] = [];
    let after = '';
    do {
      const { json } = await operator.get(`/v1/payments?limit=3${after}`);
      seen.push(...json.data.map(({ id }: { id: string }) => id));
      after = json.next === null ? '' : `&after=${json.next}`;
    } while (after !== '');
    const { rows } = await system.owner.query(
      `SELECT p.id FROM payments p JOIN accounts a ON a.id = p.account_id
        WHERE a.mode = 'test' ORDER BY p.id DESC`,
    );
    expect(seen).toEqual(rows.map(({ id }) => id));
  });

  it('lists by account, key, order and status, over all accounts', async () => {
    const key = randomUUID();
    const mine = (await system.client.pay({ order_id: key }, key)).json;
    const theirs = (await other.pay({ order_id: key }, key)).json;
    await other.pay({ payment_method: 'pm_test_busy' }, `${key}-2`);
    const listed = async (query: string) =>
      (await operator.get(`/v1/payments?${query}`)).json.data.map(({ id }: { id: string }) => id);
    expect(await listed(`order_id=${key}`)).toEqual([theirs.id, mine.id]);
    expect(await listed(`idempotency_key=${key}`)).toEqual([theirs.id, mine.id]);
    const account = `account_id=${system.account.id}`;
    expect(await listed(`idempotency_key=${key}&${account}`)).toEqual([mine.id]);
    expect(await listed(`order_id=${key}&${account}`)).toEqual([mine.id]);
    expect(await listed(`idempotency_key=${key}&order_id=another`)).toEqual([]);
    expect((await listed(`${account}&limit=1`)).at(0)).toBe(mine.id);
    expect(await listed(`idempotency_key=${key}&status=failed`)).toEqual([]);
    const released = await operator.get(`/v1/payments?idempotency_key=${key}-2`);
    expect(released.json.data).toMatchObject([
      { status: 'pending', unresolved: expect.stringContaining('nothing was sent') },
    ]);
  });

  it('alone may choose an account: to accounts that is no parameter', async () => {
    const refused = await system.client.get(`/v1/payments?account_id=${system.account.id}`);
    expect(refused.json).toMatchObject({ code: 'validation_failed', param: 'account_id' });
    const wrong = await operator.get('/v1/payments?account_id=first');
    expect(wrong.json).toMatchObject({ code: 'validation_failed', param: 'account_id' });
  });

  it('is named in the log of each request', async () => {
    const { headers } = await operator.get('/v1/payments');
    const line = system.log.find(
      ({ event, request_id: id }) => event === 'request' && id === headers.get('request-id'),
    );
    expect(line).toMatchObject({ operator: 'Ann' });
  });
});
