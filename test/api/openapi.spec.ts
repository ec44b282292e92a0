import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
      'get /v1/payments',
      'get /v1/payments/{id}',
      'get /v1/payments/{id}/timeline',
      'post /v1/cancellations',
      'post /v1/payments',
      'post /v1/payments/{id}/cancel',
      'post /webhooks/stripe',
    ]);
  });

  it('has the members that a payment has, in their order', async () => {
    const paid = await system.client.pay();
    expect(Object.keys(schema('PaymentDto').properties)).toEqual(Object.keys(paid.json));
    expect(schema('PaymentDto').required).toEqual(Object.keys(paid.json));
  });

  it('has the members that a problem has, and those that codes add', async () => {
    const declined = await system.client.pay({ payment_method: 'pm_card_chargeDeclined' });
    expect(Object.keys(schema('ProblemDto').properties)).toEqual(Object.keys(declined.json));
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

  it('declares every status that a payment request may meet, each with its codes', () => {
    const { responses } = document.paths['/v1/payments']?.['post'] ?? { responses: {} };
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining([
        '201',
        '202',
        '400',
        '401',
        '402',
        '403',
        '409',
        '413',
        '415',
        '422',
        '429',
        '503',
      ]),
    );
    expect(responses['409']?.description).toContain('idempotency_key_expired');
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
