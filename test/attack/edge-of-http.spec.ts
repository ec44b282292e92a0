import { randomUUID } from 'node:crypto';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { honestBody } from '#testing/http.js';
import { open } from '#testing/raw-request.js';
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

  async function untilEnd(socket: Socket): Promise<string> {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await new Promise((resolve) => socket.once('end', resolve));
    return text;
  }
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
