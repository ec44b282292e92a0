/** What stands in place of one JSON value, as it is written on the wire. */
export const NASTY_LITERALS: readonly string[] = [
  '0', '-1', '-0', '1.0', '0.5', '1e2', '2.5e3', '1e400', '-1e400', '"100"', '"2500"', '100000000', '99999999',
  '9007199254740993', '9223372036854775808', '18446744073709551616', '-9223372036854775809', 'NaN',
  'Infinity', '-Infinity', '0100', '0x64', '1_000', '2500.00000000000000000001', '+1', '.5', '5.',
  'true', 'false', 'null', 'undefined', '[]', '{}', '[2500]', '{"amount":2500}', '[[]]', '""', '" "', '"\\u0000"',
  '"a\\u0000b"', '"\\ud800"', '"\\udc00x"', '"\\ud83d\\ude00"', '"\\u202e"', '"é"', '"e\u0301"', '"MYR"', '"mYr"',
  '"xxx"', '"jpy"', '"kwd"', '"bhd"', '"clf"', '"myr "', '"pm_"', '"pm 123"', '"pm_é"', '"../../etc/passwd"',
  '"%00"', '"%s%n"', '"{{7*7}}"', '"${jndi:ldap://127.0.0.1/a}"', '"<script>alert(1)</script>"', '"=1+1"',
  '"a\\r\\nSet-Cookie: x=1"', '"\\";--"', "\"'; DROP TABLE payments; --\"", "\"' OR '1'='1\"",
  '"manual"', '"automatic"', '{"__proto__":{"a":1}}', '{"\\u005f_proto__":1}', '{"constructor":{"prototype":1}}',
  '{"a":1}', '{"a":null}', '{"a":["x"]}', '{"":"x"}', '{"a\\u0000":"x"}', '{"10":"x","9":"y"}',
  `"${'x'.repeat(256)}"`, `"${'😀'.repeat(255)}"`, `"${'x'.repeat(1_001)}"`, `"${'é'.repeat(70_000)}"`,
  '['.repeat(31) + ']'.repeat(31), '['.repeat(33) + ']'.repeat(33), '['.repeat(5_000) + ']'.repeat(5_000),
  '{"a":'.repeat(2_000) + '1' + '}'.repeat(2_000), `"${'a'.repeat(30_000)}!"`, '"2026-02-30T00:00:00Z"',
  '"0000-01-01T00:00:00Z"', '"9999-12-31T23:59:59.999999999Z"', '"+275760-09-13T00:00:00Z"',
  '"2026-12-01T00:00:00+99:99"', '"-infinity"', '"epoch"',
]; // prettier-ignore

/** Members that no request has. */
export const STRANGE_NAMES: readonly string[] = [
  'status', 'tenant_id', 'account_id', 'fee', 'created_at', 'settled_at', 'id', 'object', 'amount_captured', 'amount_refunded',
  '__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf', 'then', 'toJSON', 'Amount',
  'amount ', 'amount\u0000', 'amount[]', 'metadata[a]', 'metadata.a', '$where', '$gt', '', ' ', 'é', '\ud83d\ude00',
  'idempotency_key', 'card', 'card[number]', 'number', 'cvc', 'source', "a'; DROP TABLE payments; --",
  '<img src=x onerror=alert(1)>', 'x'.repeat(5_000),
]; // prettier-ignore

/** Whole bodies that are no request at all. */
export const NASTY_BODIES: readonly string[] = [
  '', ' ', 'null', 'true', '0', '5', '""', '"amount"', '[]', '[{}]', '{}', '{', '}', '[', '{"', '{}{}', '{} x', '\ufeff{}',
  "{'amount':2500}", '{amount:2500}', '{"amount":2500,}', '/* c */{}', 'amount=2500&currency=myr', '<a/>',
  '--x\r\nContent-Disposition: form-data; name="amount"\r\n\r\n2500\r\n--x--', '\u0000', '\x1f\x8b\x08\x00',
  '['.repeat(50_000), '{"a":'.repeat(5_000), '"'.repeat(10_000), '1'.repeat(100_000), ' '.repeat(100_000),
]; // prettier-ignore

/** Values of a query parameter, not encoded yet. */
export const NASTY_QUERIES: readonly string[] = [
  '', ' ', '0', '-1', '1', '100', '101', '1000000000', '1e2', '0x10', '٣', '1.5', '1;', 'null', 'undefined', 'true', '[]', '{}',
  '\u0000', 'a\u0000b', "' OR '1'='1", "'; DROP TABLE payments; --", '1) UNION VALUES (1)--', '%', '%25', '*', '..', '../..',
  '\r\nSet-Cookie: a=1', 'é', '😀', 'x'.repeat(256), 'x'.repeat(5_000), 'succeeded', 'SUCCEEDED', 'pending',
  '2026-12-01T00:00:00Z', '2026-02-30T00:00:00Z', '2026-12-01', '9999-12-31T23:59:59.999999999Z',
  '0001-01-01T00:00:00Z', '0000-01-01T00:00:00+00:00', '2026-12-01T00:00:00+23:59', '2026-12-01T24:00:00Z',
  '2026-12-01T00:00:00-99:99', 'infinity', '"a"', '"', '00000000-0000-0000-0000-000000000000', 'abc', 'k-1',
]; // prettier-ignore

/** Bytes of a query that no encoder would write. */
export const RAW_QUERIES: readonly string[] = [
  '?', '&', '&&=', '=', '=1', '%', '%zz=1', 'limit=%zz', 'limit=%', 'order_id=%00', 'order_id=%ED%A0%80', 'order_id=%ff',
  'order_id=%C0%AF', 'limit=1&limit=2', 'limit[]=1', 'limit[0]=1', 'limit[$gt]=1', 'limit.x=1', '__proto__=1', 'constructor=1',
  '__proto__[x]=1', 'hasOwnProperty=1', 'toString=1', 'LIMIT=1', 'limit=1;status=pending', 'a=1#b', 'limit=+1', 'limit=1+',
  'idempotency_key=a,b', 'idempotency_key=%22a%22', 'idempotency_key=%22', 'created_after=2026-12-01T00:00:00+00:00',
  `a=${'x'.repeat(2_000)}`, 'a=1&'.repeat(1_200), 'account_id=1', 'after=1', 'after=%27',
]; // prettier-ignore

/** In place of an id in a path, as written on the wire. */
export const NASTY_SEGMENTS: readonly string[] = [
  '0', '1', '-1', 'null', 'undefined', 'me', '%20', '%00', '%0d%0aSet-Cookie:%20a=1', '%2e%2e', '..%2f..%2fetc%2fpasswd',
  '..', '.', '%', '%zz', '%c0%af', '%ed%a0%80', '%F0%9F%98%80', "'%20OR%20'1'='1", '%27%3b--', '*', '%2a', '{id}', ':id', '$1',
  '00000000-0000-0000-0000-000000000000', '01A233E6-ABA2-79BE-9656-082EA888F483', '01a233e6-aba2-79be-9656-082ea888f48',
  '01a233e6-aba2-79be-9656-082ea888f483%0a', '01a233e6-aba2-79be-9656-082ea888f483;a=1', '%2501a233e6', 'pi_1', 'evt_1', 'x'.repeat(99),
  'x'.repeat(100), 'x'.repeat(101), 'x'.repeat(4_000), '%41'.repeat(60), 'constructor', '__proto__', 'toString',
]; // prettier-ignore

/** Values of Idempotency-Key. Latin-1, as the wire has them. */
export const NASTY_KEYS: readonly string[] = [
  '', ' ', '\t', '""', '"', '"a', 'a"', 'a"b', '"a\\"b"', '"a\\\\b"', '"a\\x"', '"a";b=1', '"a";b', '"a" ; b=?1', 'a,b', 'a, b', '"a","b"', 'a b',
  'é', '\xc3\xa9', '\x7f', 'a\tb', ':a:', '?1', '@1', '1', '-', '~', '!', "'; DROP TABLE payments; --", '{"a":1}', '${a}', '../..', 'null',
  'x'.repeat(255), 'x'.repeat(256), `"${'x'.repeat(255)}"`, `"${'x'.repeat(256)}"`, 'x'.repeat(8_000),
]; // prettier-ignore

export const NASTY_TYPES: readonly string[] = [
  '', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml', 'application/json',
  'APPLICATION/JSON', 'application/json; charset=utf-8', 'application/json; charset="UTF-8"', 'application/json;charset=utf-16',
  'application/json; charset=iso-8859-1', 'application/json; charset=utf-7', 'application/json; a=b', 'application/json, text/plain',
  'application/json;', 'application/jsonp', 'application/problem+json', 'json', '*/*', 'application/json\t', 'a'.repeat(2_000), '\xff',
  'application/json; charset=utf-8; charset=utf-16',
]; // prettier-ignore

export const NASTY_AUTHORIZATIONS: readonly string[] = [
  '', 'Bearer', 'Bearer ', 'Bearer null', 'Bearer undefined', 'Basic cG86', 'Digest a', 'bearer', 'Bearer po_test_', 'Bearer po_live_',
  `Bearer po_test_${'0'.repeat(38)}`, `Bearer po_test_${'z'.repeat(7_000)}`, "Bearer ' OR 1=1", 'Bearer \xe9', 'Bearer a b', 'Token a',
]; // prettier-ignore

/** Headers that must mean nothing, or no more than they say. */
export const STRANGE_HEADERS: readonly (readonly [string, string])[] = [
  ['X-HTTP-Method-Override', 'DELETE'], ['X-Method-Override', 'GET'], ['X-Forwarded-For', '127.0.0.1'], ['X-Forwarded-Host', 'evil'],
  ['X-Forwarded-Proto', 'https'], ['Forwarded', 'for=127.0.0.1'], ['X-Original-URL', '/v1/operations/audit'], ['X-Rewrite-URL', '/docs'],
  ['X-Account-Id', '1'], ['X-Idempotency-Key', 'a'], ['Origin', 'https://evil.example'], ['Access-Control-Request-Method', 'POST'],
  ['Referer', 'https://evil.example/'], ['Cookie', 'session=1'], ['Range', 'bytes=0-1'], ['If-None-Match', '*'], ['If-Modified-Since', 'x'],
  ['Accept', 'application/xml'], ['Accept', ''], ['Accept-Encoding', 'gzip, br'], ['Accept-Language', '*'], ['Accept-Version', '9'],
  ['Upgrade', 'websocket'], ['Expect', '100-continue'], ['Expect', '200-ok'], ['Host', 'evil.example'], ['Upgrade', 'h2c'], ['TE', 'trailers'], ['Via', '1.1 a'], ['Max-Forwards', '0'], ['From', 'a@b.example'],
  ['Content-Encoding', 'gzip'], ['Content-Encoding', 'identity'], ['Content-Encoding', 'deflate, gzip'], ['Content-Language', 'x'],
  ['Traceparent', '00-0-0-00'], ['Request-Id', 'req_mine'], ['Constructor', 'a'], ['__proto__', 'a'], ['X', 'y'.repeat(6_000)],
  ['Prefer', 'wait=0'], ['Prefer', 'wait=-1'], ['Prefer', 'wait=1e9'], ['Prefer', 'wait=10'], ['Prefer', 'respond-async'],
  ['Prefer', 'respond-async=1'], ['Prefer', '"'], ['Prefer', ',,;;=='], ['Prefer', 'wait=1, wait=2, respond-async'],
  ['Prefer', `a="${'\\'.repeat(3_000)}`], ['Prefer', 'é'], ['Stripe-Signature', 't=1,v1=00'],
]; // prettier-ignore

export const NASTY_SIGNATURES: readonly string[] = [
  '', ',', '=', 't=', 't=1', 'v1=', 't=NaN,v1=00', 't=-1,v1=00', 't=1e9,v1=00', 't=Infinity,v1=00', 't=1,t=2,v1=00', 'v1=00,v1=11',
  `t=1,v1=${'0'.repeat(63)}`, `t=1,v1=${'0'.repeat(64)}`, `t=1,v1=${'g'.repeat(64)}`, `t=1,v1=${'A'.repeat(64)}`, `t=1,v1=${'0'.repeat(66)}`,
  `t=1,v0=${'0'.repeat(64)}`, `t=1,v1a=${'0'.repeat(64)}`, `t=1,none=`, `t=1${',v1=00'.repeat(300)}`, `t=${'9'.repeat(400)},v1=00`, '\xff',
]; // prettier-ignore
