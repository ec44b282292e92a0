import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';

type Schema = { properties: Record<string, unknown>; required?: string[] };
type Operation = {
  responses: Record<string, { description: string; content?: Record<string, unknown> }>;
};

describe('the OpenAPI document', () => {
  let system: System;
  let document: {
    info: { description: string };
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
  beforeAll(async () => {
    system = await startSystem({ env: { ANSWERS_DAYS: '7' } });
    document = (await system.client.get('/openapi.json')).json;
  });
  afterAll(() => system.close());

  it('lists every route of the API and no other', () => {
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(routes.sort()).toEqual([
      'get /v1/ledger/accounts',
      'get /v1/ledger/accounts/{name}/balance',
      'get /v1/ledger/accounts/{name}/statement',
      'get /v1/ledger/trial-balance',
      'get /v1/operations/audit',
      'get /v1/operations/breaks',
      'get /v1/operations/reviews',
      'get /v1/payments',
      'get /v1/payments/{id}',
      'get /v1/payments/{id}/timeline',
      'get /v1/refunds',
      'get /v1/refunds/{id}',
      'post /v1/cancellations',
      'post /v1/operations/breaks/{id}/accept',
      'post /v1/operations/breaks/{id}/approve',
      'post /v1/operations/breaks/{id}/match',
      'post /v1/operations/breaks/{id}/refund',
      'post /v1/operations/breaks/{id}/reopen',
      'post /v1/operations/breaks/{id}/write-off',
      'post /v1/operations/inbox/replay',
      'post /v1/operations/inbox/{event_id}/replay',
      'post /v1/operations/reviews/{operation_id}/lookup',
      'post /v1/operations/reviews/{operation_id}/resolve',
      'post /v1/payments',
      'post /v1/payments/{id}/cancel',
      'post /v1/payments/{id}/capture',
      'post /v1/payments/{id}/refunds',
      'post /webhooks/stripe',
    ]);
  });

  it('has the members that a payment has, in their order', async () => {
    const paid = await system.client.pay();
    expect(Object.keys(schema('PaymentDto').properties)).toEqual(Object.keys(paid.json));
    expect(schema('PaymentDto').required).toEqual(Object.keys(paid.json));
  });

  it('has the members that a refund has, in their order', async () => {
    const { json } = await system.client.pay();
    const refund = await system.client.post(`/v1/payments/${json.id}/refunds`, {});
    expect(Object.keys(schema('RefundDto').properties)).toEqual(Object.keys(refund.json));
    expect(schema('RefundDto').required).toEqual(Object.keys(refund.json));
  });

  it('names what a problem may add, of whatever code', async () => {
    const pay = (payment_method: string, more: object = {}) =>
      system.client.pay({ payment_method, ...more });
    const step = async (paid: Promise<Answer>, name: string, body: object = {}) =>
      system.client.post(`/v1/payments/${(await paid).json.id}/${name}`, body);
    const answers = [
      await pay('pm_card_chargeDeclined'),
      await step(pay('pm_test_refund_refused'), 'refunds'),
      await step(pay('pm_123'), 'refunds', { amount: 2501 }),
      await step(pay('pm_123', { capture: 'manual' }), 'refunds'),
      await step(pay('pm_123', { capture: 'manual' }), 'capture', { amount: 2501 }),
      await step(pay('pm_test_capture_refused', { capture: 'manual' }), 'capture'),
    ];
    const said = new Set(answers.flatMap(({ json }) => Object.keys(json)));
    expect(Object.keys(schema('ProblemDto').properties).toSorted()).toEqual([...said].toSorted());
  });

  it('has the limits that validation holds', () => {
    const { properties } = schema('CreatePaymentDto');
    expect(properties['amount']).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 99_999_999,
    });
    expect(properties['order_id']).toMatchObject({ minLength: 1, maxLength: 255 });
    expect(schema('CreatePaymentDto').required).toEqual(['amount', 'currency', 'payment_method']);
  });

  it.each([
    { path: '/v1/payments', done: '201', code: 'order_already_paid' },
    { path: '/v1/payments/{id}/capture', done: '200', code: 'payment_not_capturable' },
    { path: '/v1/payments/{id}/refunds', done: '201', code: 'already_refunded' },
  ])('declares every status that POST $path may meet, each with its codes', (route) => {
    const { responses } = document.paths[route.path]?.['post'] ?? { responses: {} };
    const statuses = '202 400 401 402 403 409 413 415 422 429 503'.split(' ');
    expect(Object.keys(responses)).toEqual(expect.arrayContaining([route.done, ...statuses]));
    expect(responses['409']?.description).toContain('idempotency_key_expired');
    expect(responses['409']?.description).toContain(route.code);
    expect(Object.keys(responses['402']?.content ?? {})).toEqual(['application/problem+json']);
  });

  it('states the window of an answer, from the setting, and what a late retry gets', () => {
    expect(document.info.description).toContain('kept for 7 days');
    expect(document.info.description).toContain('idempotency_key_expired');
  });

  it('is where the address alone leads', async () => {
    const root = await fetch(system.client.url, { redirect: 'manual' });
    expect([root.status, root.headers.get('location')]).toEqual([302, '/docs']);
  });

  it('stands behind /docs for people', async () => {
    const page = await system.client.get('/docs', { accept: 'text/html' });
    expect(page.text).toContain('<title>Payonce API</title>');
    expect(page.status).toBe(200);
    expect(page.text).toContain('swagger-ui');
  });

  function schema(name: string): Schema {
    const found = document.components.schemas[name];
    if (found === undefined) throw new Error(`The document has no schema ${name}`);
    return found;
  }
});

describe('the pages of problems', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem()));
  afterAll(() => system.close());

  it('are served where `type` points: Markdown by default, HTML for a browser', async () => {
    const { json } = await system.client.pay({ amount: 0 });
    const text = await system.client.get(json.type);
    expect(text.headers.get('content-type')).toContain('text/markdown');
    expect(text.text).toMatch(/^# `validation_failed`/);
    const page = await system.client.get(json.type, { accept: 'text/html' });
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.text).toContain('<h1>');
  });

  it('state on this server how long an answer is kept', async () => {
    const { text } = await system.client.get('/docs/problems/idempotency_key_expired');
    expect(text).toContain('7 on this server');
  });

  it('list themselves, and answer 404 for a code that does not exist', async () => {
    const index = await system.client.get('/docs/problems');
    expect(index.text).toContain('/docs/problems/card_declined');
    const missing = await system.client.get('/docs/problems/no_such_code');
    expect([missing.status, missing.json.code]).toEqual([404, 'not_found']);
  });
});
