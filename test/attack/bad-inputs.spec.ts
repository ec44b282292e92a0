import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_WEBHOOK_SECRET } from '#platform/config.js';
import { type System, startSystem } from '#testing/system.js';
import { runBadInputs } from '../../ops/abuse/bad-inputs.js';

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
