import type { Dice } from './dice.js';
import { type Draft, headOf } from './draft.js';
import { damage } from './json-texts.js';

/** Puts bytes that are no HTTP, or HTTP of another kind, in place of a request. */
export function breakHttp(draft: Draft, dice: Dice): void {
  const body = draft.body ?? Buffer.from('{}');
  const head = headOf(draft, { framed: false }).toString('latin1').slice(0, -4);
  draft.broken = dice.pick([...BAD_FRAMES, ...BAD_HEADS, ...NO_HTTP])({ head, body, dice });
}

type Breaking = (parts: { head: string; body: Buffer; dice: Dice }) => Buffer;

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const whole = (head: string, rest: Buffer | string) =>
  Buffer.concat([latin1(`${head}\r\n\r\n`), typeof rest === 'string' ? latin1(rest) : rest]);
/** One more line in front of the body. */
const line =
  (text: (body: Buffer) => string): Breaking =>
  ({ head, body }) =>
    whole(`${head}\r\n${text(body)}`, body);
const chunked =
  (more: string, chunks: string): Breaking =>
  ({ head }) =>
    whole(`${head}\r\nTransfer-Encoding: ${more}`, chunks);
const framed = (head: string, body: Buffer) =>
  whole(`${head}\r\nContent-Length: ${body.length}`, body);

/** The body is not as long as they say, or nobody can tell how long it is. */
const BAD_FRAMES: readonly Breaking[] = [
  line(({ length }) => `Content-Length: ${length + 5}`),
  line(({ length }) => `Content-Length: ${Math.max(0, length - 3)}`),
  line(() => 'Content-Length: -1'),
  line(() => 'Content-Length: 1e3'),
  line(() => 'Content-Length: 2\r\nContent-Length: 3'),
  line(({ length }) => `Content-Length: ${length}\r\nTransfer-Encoding: chunked`),
  chunked('chunked', 'zz\r\n{}\r\n0\r\n\r\n'),
  chunked('chunked', 'ffffffffffffffff\r\n{}'),
  chunked('gzip, chunked', '2\r\n{}\r\n0\r\n\r\n'),
  chunked('chunked\r\nTrailer: a', '2\r\n{}\r\n0\r\na: b\r\n\r\n'),
  chunked('xchunked', '2\r\n{}\r\n0\r\n\r\n'),
];

const METHODS = [
  'get',
  'TRACE',
  'CONNECT',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'FOO',
  'PRI',
  'HEAD',
  'QUERY',
];
const VERSIONS = ['HTTP/0.9', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'HTTP'];
const TARGETS = [' http://evil.example/ ', ' * ', '  ', ' /a b ', ' \x00 ', ' //evil '];
const HOSTS = ['', 'Host: a\r\nHost: b\r\n', 'Host: \r\n'];

const BAD_HEADS: readonly Breaking[] = [
  line(() => `X: ${'y'.repeat(20_000)}`),
  line(() => `${'a: b\r\n'.repeat(2_500)}c: d`),
  line(() => 'X: a\x00b'),
  line(() => 'X : a'),
  line(() => ' folded'),
  line(() => ': a'),
  ({ head, body }) => framed(head.replace('\r\n', '\n'), body),
  ({ head, body, dice }) => framed(head.replace('HTTP/1.1', dice.pick(VERSIONS)), body),
  ({ head, body, dice }) => framed(head.replace(/^\w+/, dice.pick(METHODS)), body),
  ({ head, body, dice }) => framed(head.replace(/^\w+/, dice.pick(METHODS)), body),
  ({ head, body, dice }) => framed(head.replace(/ \S+ /, dice.pick(TARGETS)), body),
  ({ head, body, dice }) => framed(head.replace(/Host: .*?(\r\n|$)/, dice.pick(HOSTS)), body),
];

const NO_HTTP: readonly Breaking[] = [
  () => latin1('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  () => latin1('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  () => latin1('\r\n\r\n\r\n'),
  ({ head, body, dice }) => damage(framed(head, body), dice),
];
