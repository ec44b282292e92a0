import { randomUUID } from 'node:crypto';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { honestBody } from '#testing/http.js';
import { open, rawPayment, sendRaw } from '#testing/raw-request.js';
import { type System, startSystem } from '#testing/system.js';
import { BrokenRequests } from '../../apps/payments-api/src/broken-requests.js';

let system: System;
beforeAll(async () => void (system = await startSystem()));
afterAll(() => system.close());

const CARD = '4242424242424242';

describe('bytes that break HTTP behind a payment that runs', () => {
  it('do not take the place of its answer, wherever in the next request they stand', async () => {
    const socket = await open(system.client.url);
    const body = JSON.stringify({ ...honestBody(), payment_method: 'pm_test_slow_300' });
    socket.write(head([`Content-Length: ${body.length}`]) + body);
    socket.write(head(['Transfer-Encoding: chunked']) + 'zz\r\n');
    const answers = (await untilEnd(socket)).split(/(?=HTTP\/1\.1 )/);
    expect(answers.map((answer) => answer.split('\r\n', 1)[0])).toEqual(['HTTP/1.1 201 Created']);
  });

  it('are refused, and the connection is given up though the client keeps its half of it open', async () => {
    const broken = new BrokenRequests(randomUUID);
    const error = Object.assign(new Error('no HTTP'), { code: 'HPE_INVALID_METHOD' });
    let givenUp: Promise<unknown> | undefined;
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      givenUp = new Promise((resolve) => socket.once('close', resolve));
      broken.answer(error, socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = await open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await untilEnd(client)).toMatch(/^HTTP\/1\.1 400 /);
    await givenUp;
    client.destroy();
    server.close();
  });

  const head = (lines: string[]) =>
    [
      'POST /v1/payments HTTP/1.1',
      'Host: 127.0.0.1',
      `Authorization: Bearer ${system.client.apiKey}`,
      'Content-Type: application/json',
      `Idempotency-Key: ${randomUUID()}`,
      ...lines,
      '\r\n',
    ].join('\r\n');
});

describe('an address that is none', () => {
  it.each([
    ['cannot be decoded', '%zz'],
    ['is far too long', 'a'.repeat(101)],
  ])('%s: one problem like any other, which does not repeat it', async (_why, end) => {
    const answer = await system.client.get(`/v1/payments/${CARD}${end}`);
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found']);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('request-id')).toBe(answer.json.request_id);
    expect(answer.text).not.toContain(CARD);
  });
});

describe('an address that is nearly one', () => {
  it.each(['/v1/payments/', '/v1/operations/audit/'])(
    '%s: is not there, whatever the method',
    async (path) => {
      const answers = await Promise.all(
        ['GET', 'POST'].map((method) => system.client.send(method, path, {})),
      );
      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    },
  );

  it('is refused in our form even where Fastify runs none of its hooks', async () => {
    const star = Buffer.from('GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const { status, headers, json } = await sendRaw(system.client.url, star);
    expect([status, headers.get('request-id'), headers.get('cache-control')]).toEqual([
      404,
      json.request_id,
      'no-store',
    ]);
  });
});

describe('a request that does not name one host', () => {
  it.each([
    ['names none', ''],
    ['names two', 'Host: 127.0.0.1\r\nHost: evil.example\r\n'],
  ])('%s: is refused in our form, and nothing is done', async (_what, hosts) => {
    const honest = rawPayment(
      system.client.apiKey,
      [`Idempotency-Key: ${randomUUID()}`],
      JSON.stringify(honestBody()),
    ).toString('latin1');
    const strange = Buffer.from(honest.replace('Host: 127.0.0.1\r\n', hosts), 'latin1');
    const { status, headers, json } = await sendRaw(system.client.url, strange);
    expect([status, json.code]).toEqual([400, 'validation_failed']);
    expect(headers.get('request-id')).toBe(json.request_id);
    expect((await sendRaw(system.client.url, Buffer.from(honest, 'latin1'))).status).toBe(201);
  });
});

describe('an expectation', () => {
  it('that is 100-continue does not come to stand in the answer to an earlier request', async () => {
    const socket = await open(system.client.url);
    const get = (path: string, more = '') =>
      `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${system.client.apiKey}\r\n${more}\r\n`;
    // The connection ends after it: nobody could tell a body that comes now from another request.
    socket.write(get('/v1/payments') + get('/v1/refunds', 'Expect: 100-continue\r\n'));
    const answers = (await untilEnd(socket)).split(/(?=HTTP\/1\.1 )/);
    expect(answers.map((answer) => answer.split('\r\n', 1)[0])).toEqual(
      Array.from({ length: 2 }, () => 'HTTP/1.1 200 OK'),
    );
    for (const answer of answers) expect(answer).toMatch(/\r\n\r\n\{"data":/);
  });

  it('that is 100-continue is met where nothing is in front of it', async () => {
    const lines = ['Expect: 100-continue', `Idempotency-Key: ${randomUUID()}`];
    const { raw } = await sendRaw(
      system.client.url,
      rawPayment(system.client.apiKey, lines, JSON.stringify(honestBody())),
    );
    expect(raw).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
  });

  it('that nobody knows means nothing', async () => {
    const lines = ['Expect: the-best', `Idempotency-Key: ${randomUUID()}`];
    const { status } = await sendRaw(
      system.client.url,
      rawPayment(system.client.apiKey, lines, JSON.stringify(honestBody())),
    );
    expect(status).toBe(201);
  });
});

describe('a Content-Type that nobody can read', () => {
  const strange = (path: string, headers: Record<string, string> = {}) =>
    system.client.send('POST', path, {
      body: JSON.stringify(honestBody()),
      headers: { 'idempotency-key': randomUUID(), 'content-type': 'no type', ...headers },
    });

  it('is not looked at before it is known who asks, and where', async () => {
    expect((await strange('/v1/payments', { authorization: 'Bearer none' })).status).toBe(401);
    expect((await strange('/v1/nowhere')).status).toBe(404);
    expect((await strange('/v1/payments')).json.code).toBe('unsupported_media_type');
  });

  it('means nothing where a signature is the credential', async () => {
    const answer = await strange('/webhooks/stripe', { 'stripe-signature': 't=1' });
    expect([answer.status, answer.json.code]).toEqual([400, 'webhook_signature_invalid']);
  });
});

describe('a secret in place of a payment method', () => {
  it.each([
    ['of the processor', 'sk_live_51HxYzAbCdEfGhIjKlMnOp'],
    ['that signs events', 'whsec_51HxYzAbCdEfGhIjKlMnOp'],
    ['of ours', 'po_live_51HxYzAbCdEfGhIjKlMnOp'],
  ])('%s: is refused, so that it is neither kept nor sent on', async (_whose, payment_method) => {
    const answer = await system.client.pay({ payment_method });
    expect(answer.json).toMatchObject({ code: 'validation_failed', param: 'payment_method' });
    expect(answer.text).not.toContain(payment_method);
  });
});

describe('a name as long as a body may be', () => {
  const name = CARD.repeat(60_000);

  it.each([
    ['a member', { [name]: 1 }],
    ['a member of metadata', { ...honestBody(), metadata: { [name]: 'x' } }],
  ])('%s: is refused at once, shortened and masked', async (_what, body) => {
    const answer = await system.client.pay(body);
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(2_000);
    expect(answer.text).not.toContain(CARD);
  });
});

async function untilEnd(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await new Promise((resolve) => socket.once('end', resolve));
  return text;
}
