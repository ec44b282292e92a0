import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Raw, rawPayment } from '#testing/raw-request.js';
import { HONEST, type World, body, startWorld } from './contract-world.js';
import { expectCharged, expectRefused, expectReplay } from './expectations.js';

let world: World;
beforeAll(async () => void (world = await startWorld()));
afterAll(() => world.close());

const CAP = 1_048_576;

describe('contract, the body: lengths that lie', () => {
  const keyLine = (key: string) => `Idempotency-Key: ${key}`;

  it('case 46: one byte over 1 MiB is 413, before the key is looked at', async () => {
    const key = randomUUID();
    const send = () => world.post(padded(CAP + 1), { key });
    await expectRefused(world, send, { code: 'body_too_large', key });
  });

  it('case 46: over the cap is 413 for a key that is finished, too: no look-up was made', async () => {
    const key = randomUUID();
    expectCharged(await world.post(HONEST, { key }));
    await expectRefused(world, () => world.post(padded(CAP + 1), { key }), {
      code: 'body_too_large',
    });
  });

  it('case 46: 1 MiB of white space around an honest body is read', async () => {
    expectCharged(await world.post(padded(CAP)));
  });

  it('case 46: chunked is read like any other', async () => {
    const answer = await world.raw(
      [keyLine(randomUUID()), 'Transfer-Encoding: chunked'],
      chunks(HONEST.slice(0, 9), HONEST.slice(9), ''),
    );
    expectCharged(answer);
  });

  it('case 46: chunked over the cap is 413 before it ends', async () => {
    const key = randomUUID();
    const many = Array.from({ length: 18 }, () => ' '.repeat(65_536));
    const send = () => world.raw([keyLine(key), 'Transfer-Encoding: chunked'], chunks(...many));
    await expectRefused(world, send, { code: 'body_too_large', key });
  });

  it('case 46: chunked without end is 408 when its time is over', async () => {
    const key = randomUUID();
    const send = () =>
      world.raw([keyLine(key), 'Transfer-Encoding: chunked'], chunks(HONEST.slice(0, 9)));
    await expectRefused(world, send, { code: 'request_timeout', key });
  });

  it('case 46: a length that is too small cuts the body off: 400', async () => {
    const key = randomUUID();
    const send = () => world.raw([keyLine(key), 'Content-Length: 20'], HONEST);
    await expectRefused(world, send, { code: 'malformed_json', key });
  });

  it.each(['Connection: close', 'Connection: keep-alive'])(
    'case 46: bytes too many behind a whole request: its own answer goes out, with %s',
    async (connection) => {
      const key = randomUUID();
      const lines = [keyLine(key), connection, `Content-Length: ${HONEST.length}`];
      const answer = await world.raw(lines, `${HONEST}} and more`);
      expectCharged(answer);
      expect(answer.raw.match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
      expectReplay(await world.post(HONEST, { key }), answer);
    },
  );

  it('case 46: no length at all is an empty body: 400', async () => {
    const key = randomUUID();
    const send = () => world.raw([keyLine(key), 'content-length-missing: yes'], '');
    await expectRefused(world, send, { code: 'malformed_json', key });
  });

  it.each<{ title: string; lines: Raw[] }>([
    { title: 'a length that is no number', lines: ['Content-Length: many'] },
    { title: 'a negative length', lines: ['Content-Length: -1'] },
    { title: 'two lengths', lines: ['Content-Length: 58', 'Content-Length: 20'] },
    { title: 'a length and chunks', lines: ['Content-Length: 58', 'Transfer-Encoding: chunked'] },
    { title: 'an unknown transfer encoding', lines: ['Transfer-Encoding: gzip'] },
    { title: 'a chunk size that is no number', lines: ['Transfer-Encoding: chunked'] },
  ])('case 46: $title is 400', async ({ lines }) => {
    const before = await world.footprint();
    const answer = await world.raw([keyLine(randomUUID()), ...lines]);
    expect(answer.status, answer.raw).toBe(400);
    expect(answer.headers.get('connection')).toBe('close');
    expect(await world.footprint()).toEqual(before);
  });

  it('case 46: a length that is too large, and then no more bytes: nothing happens', async () => {
    const key = randomUUID();
    const before = await world.footprint();
    const answer = await world.raw([keyLine(key), 'Content-Length: 1000'], HONEST, { end: true });
    expect([0, 400, 408], answer.raw).toContain(answer.status || 0);
    expect(await world.footprint()).toEqual(before);
    expectCharged(await world.post(HONEST, { key }));
  });

  it('case 46: a smaller body inside a larger one starts no second request', async () => {
    const key = randomUUID();
    const inner = rawPayment(world.system.client.apiKey, [keyLine(key)], HONEST);
    const outer = rawPayment(world.system.client.apiKey, [keyLine(randomUUID())], HONEST);
    const before = await world.footprint();
    const answer = await world.raw(
      [keyLine(randomUUID())],
      Buffer.concat([Buffer.from(body({})), inner, outer]),
    );
    expect(answer.status).toBe(400);
    expect(answer.json.code).toBe('malformed_json');
    expect(await world.footprint()).toEqual(before);
  });
});

function padded(length: number): string {
  return HONEST + ' '.repeat(length - HONEST.length);
}

function chunks(...parts: string[]): string {
  return parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
}
