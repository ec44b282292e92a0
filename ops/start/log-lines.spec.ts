import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { passOn, shorten } from './log-lines.js';

it('passes whole lines on, however the output was cut', async () => {
  const [one, two, to] = [new PassThrough(), new PassThrough(), new PassThrough()];
  passOn(one, to, 'one');
  passOn(two, to, 'two');
  for (const [from, text] of [
    [one, '{"a":'],
    [two, '{"b":1}\n{"b'],
    [one, '1}\n'],
    [two, '":2}\n'],
    [one, 'last words without an end'],
  ] as const) {
    from.write(text);
  }
  one.end();
  two.end();
  let seen = '';
  for await (const chunk of to) {
    seen += String(chunk);
    if (seen.endsWith('end\n')) break;
  }
  expect(seen).toBe('{"b":1}\n{"a":1}\n{"b":2}\nlast words without an end\n');
});

it('shortens a JSON line for a terminal and leaves other text alone', () => {
  const line = JSON.stringify({
    level: 'warning',
    time: new Date(2026, 0, 2, 3, 4, 5).toISOString(),
    service: 'payments-api',
    pid: 1,
    event: 'lease_taken_over',
    payment_id: 'p1',
    waits: [1, 2],
  });
  expect(shorten(line, 'payments-api')).toBe(
    '03:04:05 payments-api warning lease_taken_over payment_id=p1 waits=[1,2]',
  );
  expect(shorten('Error: plain text', 'payments-api')).toBe('Error: plain text');
  expect(shorten('42', 'payments-api')).toBe('42');
});
