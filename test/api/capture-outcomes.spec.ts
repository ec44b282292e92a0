import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '#testing/http.js';
import type { System } from '#testing/system.js';
import { expectProblem, expectReplay } from '../contract/expectations.js';
import { type StepsWorld, startStepsWorld } from './steps-world.js';

let world: StepsWorld;
let system: System;
beforeAll(async () => {
  world = await startStepsWorld();
  ({ system } = world);
});
afterAll(() => system.close());

const codes = (answers: Answer[]) => answers.map(({ status, json }) => json.code ?? status);

describe('a capture', () => {
  it.each([
    ['succeeded', {}, 'pm_123'],
    ['failed', {}, 'pm_card_chargeDeclined'],
    ['pending', { prefer: 'respond-async' }, 'pm_123'],
  ])('refuses a payment that is %s', async (state, headers, payment_method) => {
    const paid = await world.client.pay({ payment_method }, randomUUID(), headers);
    const id = paid.json.id ?? paid.json.payment_id;
    const answer = await world.capture(id);
    expectProblem(answer, { code: 'payment_not_capturable' });
    expect(answer.json).toMatchObject({ payment_id: id, payment_status: state });
  });

  it('refuses a payment that was captured or canceled before', async () => {
    const [captured, canceled] = [await world.authorize(), await world.authorize()];
    await world.capture(captured, { amount: 1 });
    expect((await world.cancel(canceled)).status).toBe(200);
    for (const [id, payment_status] of [
      [captured, 'succeeded'],
      [canceled, 'canceled'],
    ] as const) {
      const answer = await world.capture(id);
      expectProblem(answer, { code: 'payment_not_capturable' });
      expect(answer.json.payment_status).toBe(payment_status);
    }
    expect(await world.moved(captured, 'capture')).toEqual({ there: [1], here: [1] });
  });

  it('knows no payment of another account, nor one that cannot be', async () => {
    const id = await world.authorize();
    const stranger = await system.newClient();
    const key = randomUUID();
    expectProblem(await world.capture(id, undefined, key, stranger), {
      code: 'payment_not_found',
      key,
    });
    expectProblem(await world.capture('nonsense', undefined, key, stranger), {
      code: 'payment_not_found',
    });
    expect(await world.read(id)).toMatchObject({ status: 'authorized', unresolved: null });
    // Neither used the key up.
    expect((await world.capture(id, undefined, key)).status).toBe(200);
    expect((await stranger.pay({}, key)).status).toBe(201);
  });

  it('needs the right to write', async () => {
    const reader = await system.newClient({ scopes: ['payments:read'] });
    expectProblem(await world.capture(await world.authorize(), undefined, randomUUID(), reader), {
      code: 'forbidden',
    });
  });

  it('that the processor refuses is 402, saved; the payment stays authorized and can be canceled', async () => {
    const id = await world.authorize({ payment_method: 'pm_test_capture_refused' });
    const key = randomUUID();
    const first = await world.capture(id, undefined, key);
    expectProblem(first, { code: 'capture_failed', key });
    expect(first.json).toMatchObject({
      payment_id: id,
      decline_code: 'generic_decline',
      payment: { id, status: 'authorized' },
    });
    expectReplay(await world.capture(id, undefined, key), first);
    expect(await world.read(id)).toMatchObject({ status: 'authorized', unresolved: null });
    expect(await world.moved(id, 'capture')).toEqual({ there: [], here: [] });
    expect((await world.cancel(id)).status).toBe(200);
  });

  it('is 202 while nobody knows, and the payment says what is under way', async () => {
    const id = await world.authorize();
    await system.mockClient.faults({ fault: 'lose_response', times: 1 });
    const key = randomUUID();
    const first = await world.capture(id, undefined, key);
    expect([first.status, first.json.status], first.text).toEqual([202, 'authorized']);
    expect(first.json.unresolved).toContain('capture');
    expect(first.headers.get('location')).toBe(`/v1/payments/${id}`);
    expect(first.headers.get('retry-after')).toMatch(/^\d+$/);
    const twin = await world.capture(id);
    expectProblem(twin, { code: 'payment_in_progress' });
    expectProblem(await world.cancel(id), { code: 'payment_in_progress' });
    const again = await world.capture(id, undefined, key);
    expect([again.status, again.json.amount_captured], again.text).toEqual([200, 2500]);
    expect(await world.moved(id, 'capture')).toEqual({ there: [2500], here: [2500] });
  });

  it('that is unknown is looked up before the payment is read', async () => {
    const id = await world.authorize();
    await system.mockClient.faults({ fault: 'lose_response', times: 1 });
    expect((await world.capture(id)).status).toBe(202);
    await system.advance(2_000);
    expect(await world.read(id)).toMatchObject({ status: 'succeeded', amount_captured: 2500 });
  });

  it('that was never sent is 503, waits for its caller, and lets another go first', async () => {
    const id = await world.authorize();
    await system.mockClient.faults({ fault: 'busy', times: 1 });
    const key = randomUUID();
    expectProblem(await world.capture(id, { amount: 1000 }, key), {
      code: 'processor_unavailable',
      key,
    });
    expect((await world.read(id)).unresolved).toContain('nothing was sent for the capture');
    expect((await world.capture(id, { amount: 2000 })).status).toBe(200);
    expectProblem(await world.capture(id, { amount: 1000 }, key), {
      code: 'payment_not_capturable',
    });
    expect(await world.moved(id, 'capture')).toEqual({ there: [2000], here: [2000] });
  });

  it('knows a caller who waits so long and no longer', async () => {
    const path = `/v1/payments/${await world.authorize()}/capture`;
    const key = randomUUID();
    const first = await world.client.post(path, {}, key, { prefer: 'wait=0' });
    expect(first.headers.get('preference-applied')).toBe('wait=0');
    expect([202, 503]).toContain(first.status); // whether it had been sent by then is a race
    await system.core.deps.background.idle();
    const again = await world.client.post(path, {}, key, { prefer: 'wait=60' });
    expect([again.status, again.headers.get('preference-applied')]).toEqual([200, 'wait=60']);
  });

  it('knows no respond-async', async () => {
    const path = `/v1/payments/${await world.authorize()}/capture`;
    const answer = await world.client.post(path, {}, randomUUID(), { prefer: 'respond-async' });
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([200, null]);
  });
});

describe('captures and cancels at the same instant', () => {
  it('exactly one of many captures is made', async () => {
    const id = await world.authorize();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, nth) => world.capture(id, { amount: 1000 + nth })),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(done, codes(answers).join()).toHaveLength(1);
    for (const answer of answers.filter((one) => one !== done[0])) {
      expect(['payment_in_progress', 'payment_not_capturable']).toContain(answer.json.code);
      expect(answer.status).toBe(409);
    }
    const amount = done[0]?.json.amount_captured;
    expect(await world.moved(id, 'capture')).toEqual({ there: [amount], here: [amount] });
  });

  it('a capture and a cancel: one wins, and both answers say so', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await world.authorize();
      const [captured, canceled] = await Promise.all([world.capture(id), world.cancel(id)]);
      expect(
        [captured.status, canceled.status].toSorted((a, b) => a - b),
        codes([captured, canceled]).join(),
      ).toEqual([200, 409]);
      const won = captured.status === 200;
      expect(await world.read(id)).toMatchObject({ status: won ? 'succeeded' : 'canceled' });
      expect(await world.moved(id, 'capture')).toEqual(
        won ? { there: [2500], here: [2500] } : { there: [], here: [] },
      );
      const lost = won ? canceled : captured;
      expect([
        'payment_in_progress',
        won ? 'payment_not_cancelable' : 'payment_not_capturable',
      ]).toContain(lost.json.code);
    }
  });
});
