import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type System, startSystem } from '#testing/system.js';

const PAST_THE_SEND_LIMIT_MS = 13 * 3_600_000;
const HOUR_MS = 3_600_000;

/** @keeps P2: recorded, or shown to a person; never neither. */
describe('a charge of which the processor stores an error, and tells nothing more', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem({ bendTime: true })));
  afterAll(() => system.close());

  const inReview = async () =>
    (await system.owner.query('SELECT review_at FROM unresolved WHERE review_at IS NOT NULL')).rows;
  const alarms = () => system.log.filter(({ event }) => event === 'payment_needs_review');

  it('is shown to a person once nobody may send any more, and recorded when it is told after all', async () => {
    const { json } = await system.client.pay({ payment_method: 'pm_test_error_charged' });
    await system.mockClient.faults({ fault: 'down' });
    await system.advance(60_000);
    expect(await system.sweep()).toEqual({ 202: 1 });
    expect(await inReview()).toEqual([]);

    await system.advance(PAST_THE_SEND_LIMIT_MS);
    expect(await system.sweep()).toEqual({ 202: 1 });
    expect(await inReview()).toHaveLength(1);
    expect(alarms()).toHaveLength(1);

    await system.mockClient.control('DELETE', 'faults');
    await system.advance(HOUR_MS);
    expect(await system.sweep()).toEqual({ 201: 1 });
    expect((await system.client.get(`/v1/payments/${json.id}`)).json.status).toBe('succeeded');
    expect(await inReview()).toEqual([]);
  });
});
