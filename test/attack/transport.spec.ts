import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { honestBody } from '#testing/http.js';
import { sendRaw } from '#testing/raw-request.js';
import { type System, startSystem } from '#testing/system.js';
import { readPrefer } from '../../apps/payments-api/src/read-prefer.js';

let system: System;
beforeAll(async () => void (system = await startSystem()));
afterAll(() => system.close());

describe('headers that some servers obey', () => {
  it.each([
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Method-Override', 'GET'],
    ['X-Original-URL', '/v1/operations/audit'],
    ['X-Rewrite-URL', '/docs'],
    ['X-Forwarded-Prefix', '/evil'],
  ])('%s: changes nothing', async (name, value) => {
    const answer = await system.client.pay({}, randomUUID(), { [name]: value });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`/v1/payments/${answer.json.id}`);
  });

  it('X-Forwarded-For, -Host and -Proto appear in no answer and no log line', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-host': 'evil.example' };
    const answer = await system.client.get('/v1/payments', {
      ...forwarded,
      'x-forwarded-proto': 'ftp',
    });
    const said = JSON.stringify([[...answer.headers], answer.text, system.log]);
    for (const value of ['203.0.113.7', 'evil.example', 'ftp']) expect(said).not.toContain(value);
  });

  it('Origin opens no door to a browser of another site', async () => {
    const answer = await system.client.get('/v1/payments', { origin: 'https://evil.example' });
    const names = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
    expect(names).toEqual([]);
  });
});

describe('methods and addresses', () => {
  it.each(['TRACE', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    '%s: is refused, and says what is taken',
    async (method) => {
      const head = `${method} /v1/payments HTTP/1.1\r\nHost: a\r\nX-Secret: mirrored\r\nConnection: close\r\n\r\n`;
      const answer = await sendRaw(system.client.url, Buffer.from(head));
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, GET, HEAD']);
      expect(answer.raw).not.toContain('mirrored');
    },
  );

  it.each([
    '/.env',
    '/.git/config',
    '/v1/../.env',
    '/docs/..%2f..%2fpackage.json',
    '/docs/problems/..%2f..%2fREADME',
  ])('%s: is not there', async (path) => {
    const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const answer = await sendRaw(system.client.url, Buffer.from(head));
    expect([answer.status, answer.json?.code]).toEqual([404, 'not_found']);
  });

  it('no answer tells what it was made with', async () => {
    const answers = [
      await system.client.pay(),
      await system.client.pay({ amount: 0 }),
      await system.client.get('/x'),
    ];
    for (const { headers } of answers) {
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('server')).toBeNull();
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});

describe('texts that are costly to read', () => {
  const LONG = 12_000;

  it.each([
    ['quotes', '"'.repeat(LONG)],
    ['escapes', `a="${'\\'.repeat(LONG)}`],
    ['quotes and escapes', '"\\'.repeat(LONG / 2)],
    ['commas', ','.repeat(LONG)],
    ['blanks', `a${' '.repeat(LONG)}b`],
    ['equal signs', '='.repeat(LONG)],
    ['one long name', 'a'.repeat(LONG)],
  ])('Prefer of %s: takes no more time than it is long', (_what, value) => {
    const before = process.cpuUsage();
    readPrefer(['Prefer', value]);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });

  it.each(['currency', 'payment_method', 'order_id', 'description', 'capture'])(
    '%s of a megabyte: is refused at once',
    async (member) => {
      const before = process.cpuUsage();
      const answer = await system.client.pay({
        ...honestBody(),
        [member]: `${'a'.repeat(900_000)}!`,
      });
      expect([answer.status, answer.json.param]).toEqual([400, member]);
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
    },
  );

  it.each(['1000000000', '101', '0', '-1', '1e2', '٣'])(
    'a page of %s: is refused',
    async (limit) => {
      const answer = await system.client.get(`/v1/payments?limit=${encodeURIComponent(limit)}`);
      expect(answer.json).toMatchObject({ code: 'validation_failed', param: 'limit' });
    },
  );
});
