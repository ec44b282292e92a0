import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MockClient } from '#testing/mock-client.js';
import { startMockProcessor, type Mock, type MockLogLine } from './server.js';

/** Whatever is sent, a server error comes only when it was asked for. */
let folder: string;
let mock: Mock;
let client: MockClient;
const logged: MockLogLine[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mock-malformed-'));
  const log = (line: MockLogLine) => logged.push(line);
  mock = await startMockProcessor({ bookFile: join(folder, 'book.jsonl'), log });
  client = new MockClient(mock.url);
});

afterAll(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

const FORM = 'application/x-www-form-urlencoded';
const GOOD = 'amount=1&currency=usd';

describe('a body', () => {
  test.each([
    ['a broken escape', `${GOOD}&description=%zz`, FORM],
    ['broken UTF-8 in an escape', `${GOOD}&description=%ff`, FORM],
    ['an unclosed bracket', `${GOOD}&metadata[a=1`, FORM],
    ['a bracket without a name', `${GOOD}&[a]=1`, FORM],
    ['a value that is also an object', `${GOOD}&metadata=1&metadata[a]=2`, FORM],
    ['the reverse', `${GOOD}&metadata[a]=2&metadata=1`, FORM],
    ['a parameter twice', `${GOOD}&amount=2`, FORM],
    ['deep nesting', `${GOOD}&metadata${'[a]'.repeat(50)}=1`, FORM],
    ['very deep nesting', `${GOOD}&metadata${'[a]'.repeat(300_000)}=1`, FORM],
    ['an object where a string belongs', 'amount[a]=1&currency=usd', FORM],
    ['a fraction', 'amount=1.5&currency=usd', FORM],
    ['an exponent', 'amount=1e3&currency=usd', FORM],
    ['an amount past all numbers', 'amount=99999999999999999999&currency=usd', FORM],
    ['a negative amount', 'amount=-1&currency=usd', FORM],
    ['no amount', 'currency=usd', FORM],
    ['no currency', 'amount=1', FORM],
    ['an unknown currency', 'amount=1&currency=zzz', FORM],
    ['a long metadata name', `${GOOD}&metadata[${'a'.repeat(41)}]=1`, FORM],
    ['a boolean that is none', `${GOOD}&confirm=1`, FORM],
    ['what cannot be expanded', `${GOOD}&expand[]=constructor`, FORM],
    ['expand that is no list', `${GOOD}&expand=latest_charge`, FORM],
    ['JSON', '{"amount": 1}', 'application/json'],
    ['no type at all', GOOD, 'text/plain'],
    ['a foreign card', `${GOOD}&payment_method=__proto__`, FORM],
  ])('with %s is a 400 in Stripe’s form', async (_what, body, type) => {
    const answer = await client.send('POST', '/v1/payment_intents', {
      body,
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(400);
    expect(answer.json.error.type).toBe('invalid_request_error');
    expect(answer.json.error.message).not.toBe('');
  });

  test('without any of that is taken', async () => {
    const headers = { 'content-type': FORM };
    expect((await client.send('POST', '/v1/payment_intents', { body: GOOD, headers })).status).toBe(
      200,
    );
  });

  test('with a member named __proto__ in its metadata is echoed as sent', async () => {
    const { status, text } = await client.charge('pm_1', { 'metadata[__proto__]': 'x' });
    expect(status).toBe(200);
    expect(text).toContain('"__proto__":"x"');
  });

  test('of more than a mebibyte is a 413', async () => {
    const { status } = await client.charge('pm_1', { description: 'x'.repeat(1 << 20) });
    expect(status).toBe(413);
  });

  test('may be missing where nothing is required', async () => {
    const { json } = await client.charge('pm_1', { capture_method: 'manual' });
    const answer = await client.send('POST', `/v1/payment_intents/${json.id}/cancel`);
    expect(answer.json.status).toBe('canceled');
  });
});

describe('an address', () => {
  test.each([
    ['GET', '/', 404],
    ['GET', '/v1/nothing', 404],
    ['DELETE', '/v1/payment_intents', 404],
    ['GET', '/v1/payment_intents/%zz', 404],
    ['GET', '/v1/payment_intents/%00', 404],
    ['GET', '/v1/payment_intents/__proto__', 404],
    ['POST', '/v1/payment_intents/ch_1/capture', 404],
    ['GET', '/v1/refunds/pi_1', 404],
    ['GET', '/v1/events/evt_none', 404],
    ['GET', '/v1/payment_intents?limit=0', 400],
    ['GET', '/v1/payment_intents?limit=101', 400],
    ['GET', '/v1/payment_intents?starting_after=pi_none', 400],
    ['GET', '/v1/payment_intents?starting_after=a&ending_before=b', 400],
    ['GET', '/v1/payment_intents?created[constructor]=1', 400],
    ['GET', '/v1/payment_intents?created=soon', 400],
    ['GET', '/v1/payment_intents?colour=red', 400],
    ['GET', '/v1/payment_intents?expand[]=latest_charge', 400],
    ['GET', '/v1/payment_intents/search', 400],
    ['GET', '/v1/payment_intents/search?query=nonsense', 400],
    ['GET', "/v1/payment_intents/search?query=colour:'red'", 400],
    ['GET', "/v1/payment_intents/search?query=metadata:'red'", 400],
    ['GET', "/v1/payment_intents/search?query=status:'a' AND amount:1 OR amount:2", 400],
    ['GET', "/v1/payment_intents/search?query=status:'succeeded'&page=x", 400],
  ])('%s %s is a %i', async (method, path, status) => {
    const answer = await client.send(method, path);
    expect([answer.status, answer.json.error.type]).toEqual([status, 'invalid_request_error']);
  });
});

describe('a header', () => {
  test.each([
    ['no authorization', {}, 401],
    ['an unknown scheme', { authorization: 'Digest sk_test_1' }, 401],
    ['an empty key', { authorization: 'Bearer ' }, 401],
    ['a key that is no test key', { authorization: 'Bearer sk_live_1' }, 401],
    ['the key as user name', { authorization: `Basic ${btoa('sk_test_1:')}` }, 200],
  ])('%s', async (_what, headers, status) => {
    const response = await fetch(`${mock.url}/v1/events`, { headers });
    expect(response.status).toBe(status);
  });

  test('an idempotency key of more than 255 characters is a 400', async () => {
    expect((await client.charge('pm_1', { key: 'k'.repeat(256) })).status).toBe(400);
    expect((await client.charge('pm_1', { key: 'k'.repeat(255) })).status).toBe(200);
  });
});

test('bytes that are no HTTP get a 400 and harm nobody', async () => {
  const { port } = mock;
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('\0\xff nonsense\r\n\r\n'));
    socket.on('data', (bytes) => (text += bytes.toString('latin1')));
    socket.on('error', reject).on('close', () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect((await client.get('/_control/health')).status).toBe(200);
});

const PARAMETERS = [
  'amount',
  'capture_method',
  'confirm',
  'constructor',
  'created',
  'currency',
  'description',
  'expand',
  'limit',
  'metadata',
  'payment_intent',
  'payment_method',
  'query',
  '__proto__',
];
const PATHS = [
  'payment_intents',
  'payment_intents/search',
  'payment_intents/pi_1',
  'payment_intents/pi_1/capture',
  'payment_intents/pi_1/confirm',
  'refunds',
  'events',
  'balance_transactions',
];

test('no form whatever leads to a server error', async () => {
  const name = fc.constantFrom(...PARAMETERS);
  const step = fc.constantFrom('', '[]', '[a]', '[0]', '[__proto__]', '[gte]', '[a][b]', '[');
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      '1',
      '100',
      'usd',
      'true',
      'pm_1',
      'manual',
      'latest_charge',
      'data.source',
      '%',
    ),
    fc.constantFrom("metadata['a']:'b'", "status:'succeeded' AND amount>1", "-currency:'usd'"),
  );
  const pair = fc.tuple(name, step, value, fc.boolean());
  const path = fc.constantFrom(...PATHS);
  const method = fc.constantFrom('GET', 'POST');
  await fc.assert(
    fc.asyncProperty(method, path, fc.array(pair, { maxLength: 6 }), async (verb, at, pairs) => {
      const form = pairs
        .map(([head, tail, text, raw]) => `${head}${tail}=${raw ? text : escape(text)}`)
        .join('&');
      const url = `/v1/${at}`;
      const headers = { 'content-type': FORM };
      const answer =
        verb === 'GET'
          ? await client.send('GET', `${url}?${form}`)
          : await client.send('POST', url, { body: form, headers });
      expect(answer.status, answer.text).toBeLessThan(500);
    }),
    { numRuns: 500 },
  );
  expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
});

function escape(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '?'));
}
