import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseGate } from '#testing/database-gate.js';
import { type System, startSystem } from '#testing/system.js';
import {
  criticals,
  deliver,
  eventOf,
  inboxOf,
  signatureOf,
  untilReceived,
} from './webhook-world.js';

const SECRETS = 'whsec_first_of_test,whsec_payonce_demo';
const MIB = 1_048_576;

describe('an event that comes in', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ env: { STRIPE_WEBHOOK_SECRET: SECRETS } });
  });
  afterAll(() => system.close());

  it('is stored once, answered 200, and needs no API key', async () => {
    const event = eventOf({});
    const body = JSON.stringify(event);
    const answer = await fetch(`${system.client.url}/webhooks/stripe`, {
      method: 'POST',
      body,
      headers: { 'stripe-signature': signatureOf(body) },
    });
    expect([answer.status, await answer.json()]).toEqual([200, { received: true }]);
    expect(answer.headers.get('request-id')).toMatch(/^req_/);
    expect(await inboxOf(system, event['id'])).toMatchObject([
      {
        state: 'received',
        type: 'payment_intent.succeeded',
        deliveries: 1,
        payload: body,
        tries: 0,
      },
    ]);
  });

  it.each([
    ['of the older secret', { secret: 'whsec_first_of_test' }],
    ['of almost 300 s ago', { offSeconds: -295 }],
    ['of almost 300 s ahead', { offSeconds: 295 }],
  ])('is taken with a signature %s', async (_what, signing) => {
    const body = JSON.stringify(eventOf({}));
    const { status } = await deliver(system, body, {
      'stripe-signature': signatureOf(body, signing),
    });
    expect(status).toBe(200);
  });

  it.each<[string, (body: string) => Record<string, string>]>([
    ['none', () => ({})],
    ['an empty one', () => ({ 'stripe-signature': '' })],
    ['one of another secret', (body) => signed(body, { secret: 'whsec_other' })],
    ['one that is too old', (body) => signed(body, { offSeconds: -310 })],
    ['one of the future', (body) => signed(body, { offSeconds: 310 })],
    ['one over other white space', (body) => signed(`${body} `)],
    ['a huge one', (body) => signed(body, {}, `,v0=${'0'.repeat(9_000)}`)],
    ['half of one', (body) => ({ 'stripe-signature': signatureOf(body).slice(0, -1) })],
  ])('is refused with a signature that is %s, and not stored', async (_what, headers) => {
    const event = eventOf({});
    const body = JSON.stringify(event);
    const { status, json } = await deliver(system, body, headers(body));
    expect([status, json.code]).toEqual([400, 'webhook_signature_invalid']);
    expect(await inboxOf(system, event['id'])).toEqual([]);
  });

  it('is refused with two signature headers, each right', async () => {
    const body = JSON.stringify(eventOf({}));
    const signatures = [signatureOf(body), signatureOf(body, { secret: 'whsec_first_of_test' })];
    const status = await new Promise((resolve, reject) => {
      const sending = request(`${system.client.url}/webhooks/stripe`, { method: 'POST' });
      sending.setHeader('stripe-signature', signatures); // two lines, where fetch would join them
      sending.on('response', (response) => resolve(response.resume().statusCode));
      sending.on('error', reject);
      sending.end(body);
    });
    expect(status).toBe(400);
  });

  it('is not parsed before its signature is checked: what would not parse is refused for that', async () => {
    const { json } = await deliver(system, '{"a":1,"a":', {});
    expect(json.code).toBe('webhook_signature_invalid');
  });

  it.each<[string, string | Buffer, string]>([
    ['no JSON', 'hello', 'malformed_json'],
    ['nothing', '', 'malformed_json'],
    ['two members of one name', '{"id":"a","id":"b"}', 'duplicate_member'],
    ['too deep', `${'['.repeat(40)}${']'.repeat(40)}`, 'too_deep'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'invalid_encoding'],
    ['another object', '{"object":"charge","id":"ch_1"}', 'validation_failed'],
    ['a list', '[]', 'validation_failed'],
  ])('that is signed and is %s is refused', async (_what, body, code) => {
    const { status, json } = await deliver(system, body);
    expect([status, json.code]).toEqual([400, code]);
  });

  it('of one byte more than 1 MiB is refused, and one of exactly that is stored', async () => {
    const event = eventOf({ note: '' });
    const room = MIB - JSON.stringify(event).length;
    const bodyWith = (length: number) =>
      JSON.stringify({
        ...event,
        data: { object: { ...(event['data'] as any).object, note: 'n'.repeat(length) } },
      });
    expect((await deliver(system, bodyWith(room + 1))).status).toBe(413);
    expect((await deliver(system, bodyWith(room))).status).toBe(200);
  });

  it('50 times at once is one event of 50 deliveries', async () => {
    const event = eventOf({});
    const answers = await Promise.all(Array.from({ length: 50 }, () => deliver(system, event)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await inboxOf(system, event['id'])).toMatchObject([
      { deliveries: 50, is_ordered: true },
    ]);
  });

  it('in another rendering is the same event', async () => {
    const event = eventOf({ amount: 100 });
    await deliver(system, event);
    const other = { pending_webhooks: 3, ...Object.fromEntries(Object.entries(event).reverse()) };
    expect((await deliver(system, JSON.stringify(other, null, 2))).status).toBe(200);
    expect(await inboxOf(system, event['id'])).toMatchObject([
      { deliveries: 2, payload: JSON.stringify(event) },
    ]);
  });

  it('with another body under its id is refused and said aloud; the first is kept', async () => {
    const event = eventOf({ amount: 100 });
    await deliver(system, event);
    const forged = { ...eventOf({ amount: 101 }), id: event['id'], created: event['created'] };
    const { status, json } = await deliver(system, forged);
    expect([status, json.code]).toEqual([409, 'event_id_reused']);
    expect(await inboxOf(system, event['id'])).toMatchObject([
      { deliveries: 1, payload: JSON.stringify(event) },
    ]);
    expect(criticals(system)).toMatchObject([{ event: 'event_id_reused', event_id: event['id'] }]);
  });

  it('is kept without the client secret in it', async () => {
    const event = eventOf({ client_secret: 'pi_1_secret_abcdef' });
    await deliver(system, event);
    const [row] = await inboxOf(system, event['id']);
    expect(row?.payload).not.toContain('abcdef');
    expect(JSON.parse(row?.payload ?? '').id).toBe(event['id']);
  });

  function signed(body: string, options = {}, more = ''): Record<string, string> {
    return { 'stripe-signature': signatureOf(body, options) + more };
  }
});

describe('a storm of events while the database is away', () => {
  let system: System;
  let gate: DatabaseGate;
  beforeAll(async () => {
    gate = await DatabaseGate.start();
    system = await startSystem({ webhooks: true, appUrl: (url) => gate.through(url) });
  });
  afterAll(async () => {
    await system.close();
    await gate.close();
  });

  it('is answered 503, and what the sender repeats is stored', async () => {
    gate.shut();
    const refused = await Promise.all(
      Array.from({ length: 20 }, () => deliver(system, eventOf({}))),
    );
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    expect(refused[0]?.json.code).toBe('database_unavailable');
    await system.mockClient.control('POST', 'events', { kind: 'not_ours' });
    gate.reopen();
    await untilReceived(system, 'payment_intent.succeeded');
    expect(await inboxOf(system)).toHaveLength(1); // of the 20, whose sender has given up, none
  });

  it('is not answered 200 when the confirmation is lost, and the repeat is one more delivery', async () => {
    const event = eventOf({ id: `pi_${randomUUID()}` });
    const lost = gate.loseAnswerOf('inbox.receive');
    const [first] = await Promise.all([deliver(system, event), lost]);
    expect(first.status).toBe(503);
    expect((await deliver(system, event)).status).toBe(200);
    expect(await inboxOf(system, event['id'])).toMatchObject([{ deliveries: 2 }]);
  });
});
