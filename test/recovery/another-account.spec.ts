import { afterAll, beforeAll, expect, it } from 'vitest';
import { type System, startSystem } from '#testing/system.js';

let system: System;
beforeAll(async () => void (system = await startSystem({ bendTime: true })));
afterAll(() => system.close());

// A processor's key protects within one account there: at another one the same key would charge again.
it('recovery sends nothing to another account at the processor, and says which one it needs', async () => {
  const { status, json } = await system.client.pay({ payment_method: 'pm_test_lose_request' });
  expect(status).toBe(202);
  await system.owner.query(`UPDATE operations SET processor_account = 'acct_another'`);
  await system.advance(2_000);
  expect(await system.sweep()).toEqual({ 202: 1 }); // taken up, and stopped before the call

  expect(await system.booked('charge')).toEqual([]);
  expect((await system.client.get(`/v1/payments/${json.id}`)).json.status).toBe('pending');
  expect(system.log.find(({ event }) => event === 'processor_changed')).toMatchObject({
    level: 'critical',
    payment_id: json.id,
    claimed_for: 'mock acct_another',
  });
});
