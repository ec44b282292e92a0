import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_WEBHOOK_SECRET } from '#platform/config.js';
import type { Answer } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { runBadInputs } from '../../ops/abuse/bad-inputs.js';
import { ContractDocument } from '../../ops/abuse/contract-document.js';
import { faultOf } from '../../ops/abuse/judge.js';
import type { WireAnswer } from '../../ops/abuse/lane.js';

const SEED = Number(process.env['ABUSE_SEED'] ?? 1);
const COUNT = Number(process.env['ABUSE_COUNT'] ?? 5_000);

describe('requests drawn from the OpenAPI document, right and wrong', () => {
  let system: System;
  beforeAll(async () => {
    const env = {
      LOG_LEVEL: 'warning',
      ACCOUNT_IN_FLIGHT_MAX: '10000',
      ACCOUNT_NEW_KEYS_PER_MINUTE: '10000000',
    };
    system = await startSystem({ env, webhooks: true });
  });
  afterAll(() => system.close());

  it('meet answers that it declares, and nothing else', async () => {
    const keys = {
      account: system.client.apiKey,
      other: (await system.newClient()).apiKey,
      operator: (await system.newOperator()).apiKey,
      webhookSecret: DEMO_WEBHOOK_SECRET,
    };
    const found = await runBadInputs({ url: system.client.url, keys, seed: SEED, count: COUNT });
    expect(found.findings).toEqual([]);
    expect(found.sent).toBe(COUNT);
    // Else the inputs have missed what they were drawn for.
    const met = Object.keys(found.statuses);
    expect(met).toEqual(expect.arrayContaining(['200', '201', '202', '400', '401', '402', '403']));
    expect(met).toEqual(expect.arrayContaining(['404', '409', '415', '422']));
  }, 300_000);
});

describe('the judge of these answers', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ bendTime: true });
  });
  afterAll(() => system.close());

  it('lets a problem name the request that claimed the key, where a retry is the first to hear how it ended', async () => {
    const { client } = system;
    const key = randomUUID();
    const order = { payment_method: 'pm_test_error_not_charged' };
    expect((await client.pay(order, key)).status).toBe(202);
    let retry = await client.pay(order, key);
    for (let passes = 0; retry.status === 202 && passes < 60; passes += 1) {
      await system.advance(1_000);
      retry = await client.pay(order, key);
    }
    expect(retry.status).toBe(402);
    expect(retry.headers.get('original-request')).toBeNull();
    expect(retry.json.request_id).not.toBe(retry.headers.get('request-id'));
    const document = await ContractDocument.read(client.url);
    const asked = {
      operation: document.find('POST', '/v1/payments'),
      headOnly: false,
      request: '',
      secrets: [],
    };
    expect(faultOf(document, asked, onTheWire(retry))).toBeNull();
    const refused = await client.pay({ amount: -1 });
    const other = onTheWire(refused);
    other.headers.set('request-id', ['req_of_another']);
    expect(faultOf(document, asked, other)).toMatch('names another request');
  });
});

function onTheWire({ status, headers, text }: Answer): WireAnswer {
  const values = [...headers].map(([name, value]): [string, string[]] => [name, [value]]);
  return { status, headers: new Map(values), text, raw: text };
}
