import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseGate } from '#testing/database-gate.js';
import { HONEST, type World, body, startWorld } from './contract-world.js';
import { expectCharged, expectProblem, expectRefused, expectReplay } from './expectations.js';

describe('contract, an account over its limit', () => {
  let world: World;
  beforeAll(async () => void (world = await startWorld({ env: { ACCOUNT_IN_FLIGHT_MAX: '1' } })));
  afterAll(() => world.close());

  it('cases 106 and 107: a finished key replays, and a 429 is not kept', async () => {
    const done = randomUUID();
    const turned = randomUUID();
    const charged = await world.post(HONEST, { key: done });
    expectCharged(charged);
    const asked = world.processor.charges.length;
    const slow = world.post(body({ payment_method: '"pm_test_slow_1500"' }));
    await expect.poll(() => world.processor.charges.length).toBe(asked + 1);
    const send = () => world.post(HONEST, { key: turned });
    await expectRefused(world, send, { code: 'rate_limited' });
    expectReplay(await world.post(HONEST, { key: done }), charged);
    const other = await world.post(body({ amount: '1' }), { key: done });
    expectProblem(other, { code: 'idempotency_key_reused' });
    expectCharged(await slow);
    expectCharged(await send());
  });
});

describe('contract, the database', () => {
  let world: World;
  let gate: DatabaseGate;
  beforeAll(async () => {
    gate = await DatabaseGate.start();
    world = await startWorld({ appUrl: (url) => gate.through(url) });
  });
  afterAll(async () => {
    await world.close();
    await gate.close();
  });

  it('case 112: away at the claim: 503, and nothing runs without it', async () => {
    const key = randomUUID();
    expectCharged(await world.post(HONEST));
    gate.shut();
    const send = () => world.post(HONEST, { key });
    await expectRefused(world, send, { code: 'database_unavailable' });
    gate.reopen();
    expectCharged(await send());
  });

  it('case 113: the acknowledgement of the claim lost: it knows itself, one payment', async () => {
    const key = randomUUID();
    const before = await world.footprint();
    const lost = gate.loseAnswerOf('payments.claim');
    expectCharged(await world.post(HONEST, { key }));
    await lost;
    const after = await world.footprint();
    expect(after['payments']).toBe((before['payments'] ?? 0) + 1);
    expect(after['charges_asked']).toBe((before['charges_asked'] ?? 0) + 1);
  });

  it('case 113: the acknowledgement of the record lost: read again, the committed bytes', async () => {
    const key = randomUUID();
    const lost = gate.loseAnswerOf('payments.record');
    const charged = await world.post(HONEST, { key });
    await lost;
    expectCharged(charged);
    expectReplay(await world.post(HONEST, { key }), charged);
    const { rows } = await world.system.owner.query(
      `SELECT count(*)::int FROM ledger_entries WHERE payment_id = $1 AND entry_kind = 'charge'`,
      [charged.json.id],
    );
    expect(rows).toEqual([{ count: 1 }]);
  });
});
