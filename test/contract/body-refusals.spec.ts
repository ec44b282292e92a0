import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProblemCode } from '#problems/registry.js';
import { HONEST, type World, body, startWorld } from './contract-world.js';
import { expectCharged, expectRefused } from './expectations.js';

let world: World;
beforeAll(async () => void (world = await startWorld()));
afterAll(() => world.close());

type Row = {
  n: number;
  title: string;
  content: string | Buffer;
  code: ProblemCode;
  param: string | null;
  headers?: Record<string, string>;
};

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  );

function amount(n: number, text: string, code: ProblemCode = 'validation_failed'): Row {
  return { n, title: `amount ${text}`, content: body({ amount: text }), code, param: 'amount' };
}

function field(n: number, name: string, text: string, code: ProblemCode, param = name): Row {
  return { n, title: `${name}: ${text}`, content: body({ [name]: text }), code, param };
}

function whole(n: number, content: string, code: ProblemCode): Row {
  return { n, title: `the whole body is ${content || 'empty'}`, content, code, param: null };
}

const AMOUNTS: Row[] = [
  amount(24, '2500.00000000000000000001', 'malformed_json'),
  amount(26, '"2500"'),
  amount(26, 'true'),
  amount(26, '[2500]'),
  amount(26, '{}'),
  amount(26, 'null'),
  amount(27, '9007199254740993', 'malformed_json'),
  amount(27, '1e400', 'malformed_json'),
  amount(27, '100000000'),
  amount(27, '0'),
  amount(27, '-0'),
  amount(27, '-1'),
  amount(27, '0.5'),
  { ...amount(27, '2501'), content: body({ amount: '2501', currency: '"kwd"' }) },
].map((row) =>
  row.content.includes('kwd')
    ? {
        ...row,
        title: 'amount 2501 in a currency of thousandths',
        code: 'amount_not_representable',
      }
    : row,
);

const DEEP: Row[] = [33, 5_000, 200_000].flatMap((depth) => [
  {
    n: 41,
    title: `${depth} nested arrays`,
    content: nested(depth),
    code: 'too_deep' as const,
    param: null as unknown as string,
  },
]);

const MEMBERS: Row[] = [
  {
    n: 29,
    title: 'amount twice',
    content: HONEST.replace('{', '{"amount":1,'),
    code: 'duplicate_member',
    param: 'amount',
  },
  {
    n: 29,
    title: 'amount twice, once escaped',
    content: HONEST.replace('{', '{"\\u0061mount":2500,'),
    code: 'duplicate_member',
    param: 'amount',
  },
  field(29, 'metadata', '{"a":"1","a":"2"}', 'duplicate_member', 'metadata.a'),
  {
    n: 30,
    title: '__proto__',
    content: HONEST.replace('{', '{"__proto__":{},'),
    code: 'malformed_json',
    param: '__proto__',
  },
  {
    n: 30,
    title: '__proto__, escaped',
    content: HONEST.replace('{', '{"\\u005f_proto__":{},'),
    code: 'malformed_json',
    param: '__proto__',
  },
  field(30, 'metadata', '{"__proto__":"x"}', 'malformed_json', 'metadata.__proto__'),
  ...['constructor', 'hasOwnProperty', 'toString', 'then', 'toJSON', 'prototype'].map((name) =>
    field(31, name, '"x"', 'validation_failed'),
  ),
  ...['order_id', 'description', 'metadata', 'capture'].map((name) =>
    field(33, name, 'null', 'validation_failed'),
  ),
  field(33, 'metadata', '{"a":null}', 'validation_failed', 'metadata.a'),
  field(34, 'colour', '"red"', 'validation_failed'),
  field(34, 'Amount', '2500', 'validation_failed'),
  field(34, 'capture', '"later"', 'validation_failed'),
];

const TEXTS: Row[] = [
  field(37, 'description', '"\\ud800"', 'invalid_encoding'),
  field(37, 'metadata', '{"\\udc00":"x"}', 'invalid_encoding', 'metadata'),
  field(38, 'description', '"a\\u0000b"', 'invalid_encoding'),
  field(38, 'order_id', '"\\u0000"', 'invalid_encoding'),
  field(38, 'payment_method', '"pm_\\u0000"', 'invalid_encoding'),
  field(38, 'metadata', '{"a":"\\u0000"}', 'invalid_encoding', 'metadata.a'),
  {
    n: 39,
    title: 'a byte that is no UTF-8',
    content: bytes(HONEST.slice(0, -1), ',"description":"', [0xff], '"}'),
    code: 'invalid_encoding',
    param: null,
  },
  {
    n: 39,
    title: 'a surrogate in three bytes',
    content: bytes(HONEST.slice(0, -1), ',"description":"', [0xed, 0xa0, 0x80], '"}'),
    code: 'invalid_encoding',
    param: null,
  },
  {
    n: 39,
    title: 'an overlong slash',
    content: bytes(HONEST.slice(0, -1), ',"description":"', [0xc0, 0xaf], '"}'),
    code: 'invalid_encoding',
    param: null,
  },
];

const WHOLES: Row[] = [
  whole(42, 'null', 'validation_failed'),
  whole(42, '5', 'validation_failed'),
  whole(42, '[]', 'validation_failed'),
  whole(42, '""', 'validation_failed'),
  whole(42, '', 'malformed_json'),
  whole(42, `${HONEST} x`, 'malformed_json'),
  whole(42, `${HONEST}${HONEST}`, 'malformed_json'),
];

function media(n: number, title: string, headers: Record<string, string>, content: Row['content']) {
  return { n, title, headers, content, code: 'unsupported_media_type' as const, param: null };
}

const MEDIA: Row[] = [
  media(43, 'text/plain with JSON in it', { 'content-type': 'text/plain' }, HONEST),
  media(43, 'a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'amount=2500'),
  media(43, 'another charset', { 'content-type': 'application/json; charset=latin1' }, HONEST),
  media(43, 'a type that only begins so', { 'content-type': 'application/jsonp' }, HONEST),
  media(45, 'gzip', { 'content-encoding': 'gzip' }, gzipSync(HONEST)),
  media(45, 'deflate', { 'content-encoding': 'deflate' }, HONEST),
];

describe('contract, the body: refused', () => {
  it.each([...AMOUNTS, ...MEMBERS, ...TEXTS, ...WHOLES, ...DEEP, ...MEDIA])(
    'case $n: $title',
    async ({ content, code, param, headers = {} }) => {
      const key = randomUUID();
      const send = () => world.post(content, { key, headers });
      const expected = code === 'too_deep' ? { code, key } : { code, param, key };
      const answer = await expectRefused(world, send, expected);
      expect(answer.text).not.toContain(key);
    },
  );

  it('case 41: 32 levels are not too deep, only not a payment', async () => {
    const key = randomUUID();
    const send = () => world.post(nested(32), { key });
    await expectRefused(world, send, { code: 'validation_failed', param: null, key });
  });

  it.each([
    ['a missing amount', { amount: undefined }, 'amount'],
    ['a missing currency', { currency: undefined }, 'currency'],
    ['a currency in capitals', { currency: 'MYR' }, 'currency'],
    ['a currency that is none', { currency: 'zzz' }, 'currency'],
    ['a missing payment method', { payment_method: undefined }, 'payment_method'],
    [
      'a card number as payment method',
      { payment_method: 'pm_4242424242424242' },
      'payment_method',
    ],
    ['an empty order_id', { order_id: '' }, 'order_id'],
    ['an order_id of 256 characters', { order_id: 'x'.repeat(256) }, 'order_id'],
    ['a description of 1,001 characters', { description: 'x'.repeat(1_001) }, 'description'],
    ['metadata that is a list', { metadata: ['a'] }, 'metadata'],
    ['a number in metadata', { metadata: { a: 1 } }, 'metadata.a'],
    [
      'a name of 41 characters',
      { metadata: { ['n'.repeat(41)]: '' } },
      `metadata.${'n'.repeat(41)}`,
    ],
    ['a value of 501 characters', { metadata: { a: 'x'.repeat(501) } }, 'metadata.a'],
    [
      '51 members of metadata',
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`m${at}`, ''])) },
      'metadata',
    ],
  ])('case 34: %s', async (_title, change, param) => {
    const key = randomUUID();
    const content = JSON.stringify({ ...(JSON.parse(HONEST) as object), ...change });
    const send = () => world.post(content, { key });
    await expectRefused(world, send, { code: 'validation_failed', param, key });
  });

  it('case 43: no Content-Type at all', async () => {
    const send = () => world.raw(['Idempotency-Key: untyped', 'Content-Type:'], HONEST);
    await expectRefused(world, send, { code: 'unsupported_media_type', key: 'untyped' });
  });
});

describe('contract, the body: accepted as it is', () => {
  it('case 27: 99,999,999 is the largest amount', async () => {
    expectCharged(await world.post(body({ amount: '99999999' })));
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
  ])('case 43: %s', async (type) => {
    expectCharged(await world.post(HONEST, { headers: { 'content-type': type } }));
  });

  it('case 31: such names are ordinary ones in metadata, and come back', async () => {
    const names = ['constructor', 'hasOwnProperty', 'toString', 'then', 'toJSON'];
    const metadata = Object.fromEntries(names.map((name) => [name, 'kept']));
    const answer = await world.post(body({ metadata: JSON.stringify(metadata) }));
    expectCharged(answer);
    expect(answer.json.metadata).toEqual(metadata);
  });

  it('case 39: text of every plane comes back as it was sent', async () => {
    const text = 'Grüße, 支払い, 💳, e\u0301';
    const answer = await world.post(body({ description: JSON.stringify(text) }));
    expectCharged(answer);
    expect(answer.json.description).toBe(text);
  });
});
