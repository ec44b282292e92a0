import * as fc from 'fast-check';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_LENGTH_MAX, readIdempotencyKey, type KeyReading } from './key-spelling.js';

const read = (...values: string[]) =>
  readIdempotencyKey(values.flatMap((value) => ['Idempotency-Key', value]));
const key = (text: string) => ({ kind: 'key', key: text });
const INVALID = { kind: 'invalid', detail: expect.any(String) };

describe('one key, however it is spelt', () => {
  it.each([
    ['abc', 'abc'],
    ['"abc"', 'abc'],
    ['  abc\t', 'abc'],
    ['\t"abc" ', 'abc'],
    ['"abc";v=1', 'abc'],
    ['"abc"; a="x,y"; b', 'abc'],
    ['order 1042', 'order 1042'],
    ['" abc "', ' abc '],
    ['"a,b"', 'a,b'],
    ['"a\\"b"', 'a"b'],
    ['"a\\\\b"', 'a\\b'],
    ['a\\b', 'a\\b'],
    ['abc;v=1', 'abc;v=1'],
    ["'abc'", "'abc'"],
    ['42', '42'],
    [':YWJj:', ':YWJj:'],
    ['?1', '?1'],
    ['!~', '!~'],
    ['4242424242424242', '4242424242424242'],
    ['undefined', 'undefined'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ])('%j', (value, expected) => {
    expect(read(value)).toEqual(key(expected));
  });

  it('tells upper from lower case', () => {
    expect(read('K1')).toEqual(key('K1'));
    expect(read('k1')).toEqual(key('k1'));
  });

  it('counts the characters after unquoting', () => {
    const longest = 'x'.repeat(KEY_LENGTH_MAX);
    expect(read(longest)).toEqual(key(longest));
    expect(read(`"${longest}"`)).toEqual(key(longest));
    expect(read(`"${'\\"'.repeat(KEY_LENGTH_MAX)}"`)).toEqual(key('"'.repeat(KEY_LENGTH_MAX)));
    expect(read(`${longest}x`)).toEqual(INVALID);
    expect(read(`"${longest}x"`)).toEqual(INVALID);
  });

  it('reads every possible key in its quoted spelling', () => {
    fc.assert(
      fc.property(printable(0x20), (text) => {
        expect(read(`"${text.replace(/["\\]/g, '\\$&')}"`)).toEqual(key(text));
      }),
    );
  });

  it('reads every key without blanks, comma and quote in its bare spelling', () => {
    fc.assert(
      fc.property(printable(0x21), (text) => {
        const bare = text.replace(/[,"]/g, '-');
        expect(read(bare)).toEqual(key(bare));
      }),
    );
  });
});

describe('refused', () => {
  it.each([
    '',
    ' \t ',
    '""',
    '"";a=1',
    'a"b',
    'abc"',
    '"abc',
    '"abc" "def"',
    '"abc" x',
    '"abc", "abc"',
    '"abc",',
    'a,b',
    'a, a',
    ',a',
    '"a\\b"',
    '"a\nb"',
    'a\tb',
    'a\u0000b',
    '\u007f',
    '\u00a0',
    '\u00a0abc',
    'é',
    'Ã©',
    '"é"',
    '%"abc"',
    '"abc";',
    '"abc";A=1',
  ])('%j', (value) => {
    expect(read(value)).toEqual(INVALID);
  });

  it('never repeats the key in what it says', () => {
    const wrong = ['secret-4242,x', 'secret'.repeat(50), 'secret-é', '"secret', '"secret" x'];
    for (const text of wrong) {
      expect(read(text)).toMatchObject({ kind: 'invalid' });
      expect(JSON.stringify(read(text))).not.toContain('secret');
    }
  });
});

describe('the header', () => {
  it('is missing when it is not there, whatever stands beside it', () => {
    expect(readIdempotencyKey([])).toEqual({ kind: 'missing' });
    expect(readIdempotencyKey(['Host', 'idempotency-key', 'X-Idempotency-Key', 'abc'])).toEqual({
      kind: 'missing',
    });
  });

  it('has a name in any case', () => {
    expect(readIdempotencyKey(['iDEMPOTENCY-kEY', 'abc'])).toEqual(key('abc'));
  });

  it.each([
    ['equal', ['a', 'a']],
    ['different', ['a', 'b']],
    ['empty beside a good one', ['', 'a']],
    ['three', ['a', 'a', 'a']],
  ])('is duplicated when there are two: %s', (_, values) => {
    expect(read(...values)).toEqual({ kind: 'duplicated' });
  });
});

describe('from a socket', () => {
  const readings: KeyReading[] = [];
  const server = createServer((request, response) => {
    readings.push(readIdempotencyKey(request.rawHeaders));
    response.end();
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  async function send(headerLines: Buffer): Promise<KeyReading | undefined> {
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n');
    socket.write(headerLines);
    socket.write('\r\n');
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    return readings.pop();
  }

  it.each([
    ['two equal lines', 'Idempotency-Key: a\r\nidempotency-key: a\r\n', { kind: 'duplicated' }],
    [
      'two lines apart',
      'Idempotency-Key: a\r\nA: b\r\nIdempotency-Key: b\r\n',
      { kind: 'duplicated' },
    ],
    ['an empty line', 'Idempotency-Key:\r\n', INVALID],
    ['blanks', 'Idempotency-Key: \t \r\n', INVALID],
    ['blanks around', 'Idempotency-Key:  \t abc \t\r\n', key('abc')],
    ['UTF-8', 'Idempotency-Key: clé\r\n', INVALID],
  ])('%s', async (_, lines, expected) => {
    expect(await send(Buffer.from(lines, 'utf8'))).toEqual(expected);
  });

  it('Latin-1', async () => {
    expect(await send(Buffer.from('Idempotency-Key: clé\r\n', 'latin1'))).toEqual(INVALID);
  });
});

function printable(first: number): fc.Arbitrary<string> {
  return fc.string({
    unit: fc.integer({ min: first, max: 0x7e }).map((unit) => String.fromCharCode(unit)),
    minLength: 1,
    maxLength: KEY_LENGTH_MAX,
  });
}
