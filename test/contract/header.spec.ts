import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProblemCode } from '#problems/registry.js';
import type { Raw } from '#testing/raw-request.js';
import { HONEST, type World, startWorld } from './contract-world.js';
import { expectCharged, expectRefused, expectReplay } from './expectations.js';

let world: World;
beforeAll(async () => void (world = await startWorld()));
afterAll(() => world.close());

const HEADER = 'Idempotency-Key';

describe('contract, the key header: refused', () => {
  it.each<{ n: number; title: string; lines: Raw[]; code: ProblemCode; key?: string }>([
    { n: 1, title: 'no header', lines: [], code: 'idempotency_key_missing' },
    { n: 2, title: 'present and empty', lines: [`${HEADER}:`], code: 'idempotency_key_invalid' },
    { n: 2, title: 'blanks only', lines: [`${HEADER}:    `], code: 'idempotency_key_invalid' },
    { n: 2, title: 'tabs only', lines: [`${HEADER}:\t\t`], code: 'idempotency_key_invalid' },
    {
      n: 5,
      title: 'a stray quote in the bare form',
      lines: [`${HEADER}: a"b`],
      code: 'idempotency_key_invalid',
    },
    {
      n: 5,
      title: 'a quoted form that does not end',
      lines: [`${HEADER}: "abc`],
      code: 'idempotency_key_invalid',
    },
    { n: 7, title: 'empty quotes', lines: [`${HEADER}: ""`], code: 'idempotency_key_invalid' },
    {
      n: 8,
      title: 'two equal lines',
      lines: [`${HEADER}: same-line`, `${HEADER}: same-line`],
      code: 'idempotency_key_duplicated',
      key: 'same-line',
    },
    {
      n: 8,
      title: 'two different lines',
      lines: [`${HEADER}: line-1`, `${HEADER.toUpperCase()}: line-2`],
      code: 'idempotency_key_duplicated',
      key: 'line-1',
    },
    { n: 9, title: 'bare a,b', lines: [`${HEADER}: a,b`], code: 'idempotency_key_invalid' },
    { n: 9, title: 'bare a, b', lines: [`${HEADER}: a, b`], code: 'idempotency_key_invalid' },
    {
      n: 10,
      title: '256 characters',
      lines: [`${HEADER}: ${'x'.repeat(256)}`],
      code: 'idempotency_key_invalid',
    },
    {
      n: 10,
      title: '256 characters inside quotes',
      lines: [`${HEADER}: "${'x'.repeat(256)}"`],
      code: 'idempotency_key_invalid',
    },
    {
      n: 12,
      title: 'é in UTF-8',
      lines: [Buffer.from(`${HEADER}: caf\u00e9`, 'utf8')],
      code: 'idempotency_key_invalid',
    },
    {
      n: 12,
      title: 'é in Latin-1',
      lines: [`${HEADER}: caf\u00e9`],
      code: 'idempotency_key_invalid',
    },
    {
      n: 12,
      title: 'é in Latin-1 inside quotes',
      lines: [`${HEADER}: "caf\u00e9"`],
      code: 'idempotency_key_invalid',
    },
    {
      n: 18,
      title: 'X-Idempotency-Key alone',
      lines: [`X-${HEADER}: x-key`],
      code: 'idempotency_key_missing',
      key: 'x-key',
    },
  ])('case $n: $title', async ({ lines, code, key }) => {
    await expectRefused(world, () => world.raw(lines), {
      code,
      param: null,
      ...(key === undefined ? {} : { key }),
    });
  });

  it('case 1: its problem is linked to the page of the key', async () => {
    const answer = await world.raw([]);
    expect(answer.json.type).toBe('/docs/problems/idempotency_key_missing');
    expect(answer.headers.get('idempotency-key')).toBeNull();
  });

  it('case 18: a key in the body is an unknown field', async () => {
    const key = randomUUID();
    const content = HONEST.replace('{', '{"idempotency_key":"in-body",');
    const send = () => world.post(content, { key });
    await expectRefused(world, send, { code: 'validation_failed', param: 'idempotency_key', key });
  });

  it('case 18: a key in the query is no key', async () => {
    const send = () =>
      world.system.client.send('POST', '/v1/payments?idempotency_key=in-query', {
        body: HONEST,
        headers: { 'content-type': 'application/json' },
      });
    await expectRefused(world, send, { code: 'idempotency_key_missing', key: 'in-query' });
  });
});

describe('contract, the key header: bytes that no HTTP server may pass on', () => {
  it.each<{ n: number; title: string; lines: Raw[] }>([
    { n: 14, title: 'a control character', lines: [`${HEADER}: a\u0001b`] },
    { n: 14, title: 'NUL', lines: [`${HEADER}: a\u0000b`] },
    { n: 14, title: 'DEL', lines: [`${HEADER}: a\u007fb`] },
    { n: 14, title: 'a folded line', lines: [`${HEADER}: a`, ' b'] },
    { n: 14, title: 'a bare LF', lines: [`${HEADER}: a\nX-Other: b`] },
    { n: 14, title: 'a bare CR', lines: [`${HEADER}: a\rb`] },
    { n: 14, title: 'a blank before the colon', lines: [`${HEADER} : a`] },
  ])('case $n: $title', async ({ lines }) => {
    const before = await world.footprint();
    const answer = await world.raw(lines);
    expect(answer.status, answer.raw).toBe(400);
    expect(answer.raw).not.toMatch(/\bat .*:\d+:\d+|node:|node_modules/);
    expect(answer.headers.get('connection')).toBe('close');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.json).toMatchObject({ status: 400, retryable: false });
    expect(answer.json.request_id).toBe(answer.headers.get('request-id'));
    expect(await world.footprint()).toEqual(before);
  });

  it('case 11: 20,000 characters are 431, before the application', async () => {
    const send = () => world.raw([`${HEADER}: ${'x'.repeat(20_000)}`]);
    const answer = await expectRefused(world, send, { code: 'headers_too_large' });
    expect(answer.headers.get('connection')).toBe('close');
  });
});

describe('contract, the key header: one key or two', () => {
  it.each([
    { n: 3, title: 'bare, then quoted', first: 'case-3', then: '"case-3"' },
    { n: 3, title: 'quoted with parameters', first: 'case-3p', then: '"case-3p";a=1' },
    { n: 3, title: 'blanks around it', first: 'case-3b', then: '   case-3b \t' },
    { n: 3, title: 'a blank inside it', first: 'case 3 c', then: '"case 3 c"' },
    { n: 10, title: '255 characters', first: 'x'.repeat(255), then: `"${'x'.repeat(255)}"` },
  ])('case $n: $title is the same key', async ({ first, then }) => {
    const charged = await world.raw([`${HEADER}: ${first}`]);
    expectCharged(charged);
    expect(charged.headers.get('idempotency-key')).toBe(first);
    expectReplay(await world.raw([`${HEADER}: ${then}`]), charged);
  });

  it('case 5: an escaped quote and an escaped backslash belong to the key', async () => {
    const charged = await world.raw([`${HEADER}: "a\\"b\\\\c"`]);
    expectCharged(charged);
    expect(charged.headers.get('idempotency-key')).toBe('a"b\\c');
    expectReplay(await world.raw([`${HEADER}: "a\\"b\\\\c"`]), charged);
  });

  it('case 9: a comma is part of the key inside quotes', async () => {
    const charged = await world.raw([`${HEADER}: "a,b"`]);
    expectCharged(charged);
    expect(charged.headers.get('idempotency-key')).toBe('a,b');
  });

  it('case 16: the name of the header in any case', async () => {
    const charged = await world.raw(['idempotency-key: case-16']);
    expectCharged(charged);
    expectReplay(await world.raw(['IDEMPOTENCY-KEY: case-16']), charged);
    expectReplay(await world.raw(['iDeMpOtEnCy-KeY: case-16']), charged);
  });

  it('case 17: k1 and K1 are two keys and two payments', async () => {
    const small = await world.post(HONEST, { key: 'k1' });
    const large = await world.post(HONEST, { key: 'K1' });
    expectCharged(small);
    expectCharged(large);
    expect(large.json.id).not.toBe(small.json.id);
  });

  it.each(['"', 'a,b', 'x'.repeat(300)])('case 20: ignored on GET, even as %.10s', async (key) => {
    const list = await world.system.client.get('/v1/payments', { 'idempotency-key': key });
    expect(list.status).toBe(200);
  });

  it('case 21: a card number or an address as key is accepted and never logged', async () => {
    for (const key of ['4242424242424242', 'somebody@example.com']) {
      expectCharged(await world.post(HONEST, { key }));
    }
    const log = JSON.stringify(world.system.log);
    expect(log).not.toContain('4242424242424242');
    expect(log).not.toContain('somebody@example.com');
  });
});
