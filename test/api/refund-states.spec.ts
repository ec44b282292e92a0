import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { System } from '#testing/system.js';
import { expectProblem } from '../contract/expectations.js';
import { type StepsWorld, startStepsWorld } from './steps-world.js';

let world: StepsWorld;
let system: System;
beforeAll(async () => {
  world = await startStepsWorld();
  ({ system } = world);
});
afterAll(() => system.close());

describe('a refund that cannot be, or not now', () => {
  it('refuses more than is left, and says how much that is', async () => {
    const id = await world.pay();
    await world.refund(id, { amount: 1000 });
    const key = randomUUID();
    const answer = await world.refund(id, { amount: 1501 }, key);
    expectProblem(answer, { code: 'refund_exceeds_remaining', param: 'amount', key });
    expect(answer.json).toMatchObject({ payment_id: id, remaining: 1500 });
    expect((await world.refund(id, { amount: 1500 }, key)).status).toBe(201);
  });

  it.each([{}, { amount: 1 }])('refuses %o once all is given back', async (body) => {
    const id = await world.pay();
    await world.refund(id);
    const answer = await world.refund(id, body);
    expectProblem(answer, { code: 'already_refunded' });
    expect(answer.json).toMatchObject({ payment_id: id, remaining: 0 });
    expect((await world.moved(id, 'refund')).there).toEqual([2500]);
  });

  it('refuses another currency', async () => {
    const id = await world.pay();
    const answer = await world.refund(id, { amount: 1000, currency: 'usd' });
    expectProblem(answer, { code: 'currency_mismatch', param: 'currency' });
    expect(answer.json.payment_id).toBe(id);
  });

  it('refuses what the processor cannot carry in this currency', async () => {
    const id = await world.pay({ currency: 'kwd' });
    const answer = await world.refund(id, { amount: 1234 });
    expectProblem(answer, { code: 'amount_not_representable', param: 'amount' });
    expect((await world.refund(id, { amount: 1230 })).status).toBe(201);
  });

  it.each<{ state: string; bring: () => Promise<string> }>([
    {
      state: 'pending',
      bring: async () => {
        const { json } = await world.client.pay({}, randomUUID(), { prefer: 'respond-async' });
        return json.id;
      },
    },
    {
      state: 'failed',
      bring: async () =>
        (await world.client.pay({ payment_method: 'pm_card_chargeDeclined' })).json.payment_id,
    },
    { state: 'authorized', bring: () => world.authorize() },
    {
      state: 'canceled',
      bring: async () => {
        const id = await world.authorize();
        expect((await world.client.post(`/v1/payments/${id}/cancel`)).status).toBe(200);
        return id;
      },
    },
  ])('refuses a payment that is $state', async ({ state, bring }) => {
    const id = await bring();
    const answer = await world.refund(id);
    expectProblem(answer, { code: 'payment_not_refundable' });
    expect(answer.json).toMatchObject({ payment_id: id, payment_status: state });
  });

  it('asks the processor first about a payment that nobody knows the end of', async () => {
    const { status, json } = await world.client.pay({ payment_method: 'pm_test_lose_response' });
    expect(status).toBe(202);
    await system.advance(2_000);
    const answer = await world.refund(json.id, { amount: 1000 });
    expect(answer.status, answer.text).toBe(201);
    expect(await world.read(json.id)).toMatchObject({ status: 'succeeded', amount_refunded: 1000 });
  });

  it('refuses what a dispute has taken, and gives back what it has not', async () => {
    const id = await world.pay();
    await system.owner.query('UPDATE payments SET amount_disputed = 2000 WHERE id = $1', [id]);
    const disputed = await world.refund(id, { amount: 501 });
    expectProblem(disputed, { code: 'payment_disputed' });
    expect(disputed.json).toMatchObject({ payment_id: id, remaining: 500 });
    expect((await world.refund(id)).json.amount).toBe(500);
    expectProblem(await world.refund(id), { code: 'payment_disputed' });
    expect((await world.moved(id, 'refund')).here).toEqual([500]);
  });

  it('knows no payment of another account, nor one that cannot be', async () => {
    const id = await world.pay();
    const stranger = await system.newClient();
    const key = randomUUID();
    for (const named of [id, 'nonsense']) {
      const answer = await world.refund(named, {}, key, stranger);
      expectProblem(answer, { code: 'payment_not_found', key });
    }
    expect((await stranger.pay({}, key)).status).toBe(201);
    expect((await world.refund(id, {}, key)).status).toBe(201);
  });

  it('needs the right to write', async () => {
    const reader = await system.newClient({ scopes: ['payments:read'] });
    expectProblem(await world.refund(await world.pay(), {}, randomUUID(), reader), {
      code: 'forbidden',
    });
  });
});
