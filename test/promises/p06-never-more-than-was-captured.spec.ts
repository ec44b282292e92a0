import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLAIM_REFUND } from '#payments/claim-step.sql.js';
import { refusalOf } from '#testing/sessions.js';
import { type System, startSystem } from '#testing/system.js';
import { type RacedAnswer, race } from './race.js';

const CAPTURED = 2500;
const RACERS = 20;
const PROCESSES = 4;

let system: System;
beforeAll(async () => void (system = await startSystem({ bendTime: true })));
afterAll(() => system.close());

async function paid(body: object = {}): Promise<{ id: string; processorId: string }> {
  const { status, json, text } = await system.client.pay({ amount: CAPTURED, ...body });
  expect(status, text).toBe(201);
  return { id: json.id, processorId: json.processor.id };
}

async function amounts(id: string) {
  const { rows } = await system.owner.query(
    `SELECT amount_captured::int AS captured, amount_reserved::int AS reserved,
            amount_refunded::int AS refunded, amount_disputed::int AS disputed
       FROM payments WHERE id = $1`,
    [id],
  );
  return rows[0];
}

/** What the processor has given back of this payment. */
async function given(processorId: string): Promise<number> {
  const lines = await system.booked('refund');
  return sum(lines.filter(({ parent }) => parent === processorId).map(({ amount }) => amount));
}

describe('P6: refunds of one payment from several processes, released together', () => {
  it('each with its own key: what is accepted fits, the rest hears what is left', async () => {
    const { id, processorId } = await paid();
    const answers = await raceRefunds(id, () => ({ amount: 300 }));
    const accepted = answers.filter(({ status }) => status === 201);
    expect(accepted, told(answers)).toHaveLength(8); // 2,400 of 2,500; 100 is left
    for (const { status, json } of answers.filter((answer) => !accepted.includes(answer))) {
      expect([status, json.code]).toEqual([400, 'refund_exceeds_remaining']);
      expect(json.remaining).toBe(100);
    }
    expect(await given(processorId)).toBe(2400);
    expect(await amounts(id)).toMatchObject({ reserved: 2400, refunded: 2400 });
  });

  it('of every size: what is accepted fits, and whoever was refused asked for more than was left', async () => {
    const { id, processorId } = await paid();
    const size = (nth: number) => 50 + 37 * nth;
    const answers = await raceRefunds(id, (nth) => ({ amount: size(nth) }));
    const accepted = sum(
      answers.flatMap(({ status, json }) => (status === 201 ? [json.amount] : [])),
    );
    expect(accepted).toBeLessThanOrEqual(CAPTURED);
    answers.forEach(({ status, json }, nth) => {
      if (status === 201) return;
      expect([status, json.code], told(answers)).toEqual([400, 'refund_exceeds_remaining']);
      expect(json.remaining).toBeLessThan(size(nth));
      expect(json.remaining).toBeGreaterThanOrEqual(CAPTURED - accepted);
    });
    expect(await given(processorId)).toBe(accepted);
  });

  it('without an amount: one gets all that is left, nobody else anything', async () => {
    const { id, processorId } = await paid();
    await system.client.post(`/v1/payments/${id}/refunds`, { amount: 700 });
    const answers = await raceRefunds(id, () => ({}));
    const accepted = answers.filter(({ status }) => status === 201);
    expect(accepted.map(({ json }) => json.amount)).toEqual([1800]);
    const refused = answers.filter((answer) => !accepted.includes(answer));
    for (const { status, json } of refused) {
      expect([status, json.code]).toEqual([409, 'already_refunded']);
    }
    expect(await given(processorId)).toBe(CAPTURED);
  });

  it('beside a dispute: only what it has not taken', async () => {
    const { id, processorId } = await paid();
    await system.owner.query('UPDATE payments SET amount_disputed = 1500 WHERE id = $1', [id]);
    const answers = await raceRefunds(id, () => ({ amount: 300 }));
    const accepted = answers.filter(({ status }) => status === 201);
    expect(accepted, told(answers)).toHaveLength(3);
    expect(await given(processorId)).toBe(900);
    for (const { json } of answers.filter((answer) => !accepted.includes(answer))) {
      expect([json.code, json.remaining]).toEqual(['payment_disputed', 100]);
    }
  });

  it('whose answers are lost: all of them hold their amounts, and all are found', async () => {
    const { id, processorId } = await paid();
    await system.mockClient.faults({ fault: 'lose_response', times: RACERS });
    const answers = await raceRefunds(id, () => ({ amount: 300 }));
    await system.mockClient.control('DELETE', 'faults');
    const unknown = answers.filter(({ status }) => status === 202);
    expect(unknown, told(answers)).toHaveLength(8);
    expect(await amounts(id)).toMatchObject({ reserved: 2400, refunded: 0 });
    for (const { json } of unknown) {
      await system.advance(2_000);
      const { json: refund } = await system.client.get(`/v1/refunds/${json.id}`);
      expect(refund.status).toBe('succeeded');
    }
    expect(await amounts(id)).toMatchObject({ reserved: 2400, refunded: 2400 });
    expect(await given(processorId)).toBe(2400);
  });

  it('that were refused for good give back what they held', async () => {
    const { id } = await paid({ payment_method: 'pm_test_refund_refused' });
    const answers = await raceRefunds(id, () => ({ amount: 300 }));
    // 409: its place was given back and taken again, as often as it looked.
    for (const { status } of answers) expect([402, 400, 409], told(answers)).toContain(status);
    expect(await amounts(id)).toMatchObject({ reserved: 0, refunded: 0 });
  });
});

describe('P6: the constraint alone', () => {
  let app: pg.Client;
  beforeAll(async () => {
    app = new pg.Client({ connectionString: system.database.appUrl });
    await app.connect();
  });
  afterAll(() => app?.end());

  const reserve = (id: string, more: number) =>
    refusalOf(app, 'UPDATE payments SET amount_reserved = amount_reserved + $2 WHERE id = $1', [
      id,
      more,
    ]);
  const dispute = (id: string, amount: number) =>
    refusalOf(system.owner, 'UPDATE payments SET amount_disputed = $2 WHERE id = $1', [id, amount]);

  it.each([
    { reserved: 0, disputed: 0, more: 2500, fits: true },
    { reserved: 0, disputed: 0, more: 2501, fits: false },
    { reserved: 2500, disputed: 0, more: 1, fits: false },
    { reserved: 1000, disputed: 0, more: 1500, fits: true },
    { reserved: 1000, disputed: 1000, more: 500, fits: true },
    { reserved: 1000, disputed: 1000, more: 501, fits: false },
    { reserved: 0, disputed: 2500, more: 1, fits: false },
    { reserved: 2500, disputed: 2500, more: -1000, fits: true }, // giving back is always possible
  ])(
    '$more more beside $reserved reserved and $disputed disputed: $fits',
    async ({ reserved, disputed, more, fits }) => {
      const { id } = await paid();
      if (reserved > 0) expect(await reserve(id, reserved)).toBeNull();
      expect(await dispute(id, disputed)).toBeNull(); // the bank does not ask us
      const refused = await reserve(id, more);
      expect(refused?.constraint ?? null).toBe(fits ? null : 'payments_refunds_within_captured');
      expect((await amounts(id)).reserved).toBe(reserved + (fits ? more : 0));
    },
  );

  it('refuses a claim that nobody has judged, and nothing of it stands', async () => {
    const { id, processorId } = await paid();
    const values = await valuesOfClaim(id, 1000);
    const before = await footprint(id);
    const refused = await refusalOf(app, CLAIM_REFUND.text, withAmount(values, 1501));
    expect(refused?.constraint).toBe('payments_refunds_within_captured');
    expect(await footprint(id)).toEqual(before);
    expect(await refusalOf(app, CLAIM_REFUND.text, withAmount(values, 1500))).toBeNull();
    expect((await amounts(id)).reserved).toBe(CAPTURED);
    expect(await given(processorId)).toBe(1000);
  });

  it('is what stands in the way: without it the same claim goes through', async () => {
    const { id } = await paid();
    const values = await valuesOfClaim(id, 1000);
    const trigger = 'TRIGGER payments_refunds_within_captured';
    await system.owner.query(`ALTER TABLE payments DISABLE ${trigger}`);
    try {
      expect(await refusalOf(app, CLAIM_REFUND.text, withAmount(values, 1501))).toBeNull();
      expect((await amounts(id)).reserved).toBe(2501);
    } finally {
      await system.owner.query(`ALTER TABLE payments ENABLE ALWAYS ${trigger}`);
    }
  });
});

/** Refunds a payment, and returns what the claim of it was given. */
async function valuesOfClaim(id: string, amount: number): Promise<unknown[]> {
  const { db } = system.core.deps;
  const run = db.run.bind(db);
  let seen: unknown[] = [];
  db.run = async (statement, values, sent) => {
    if (statement.name === CLAIM_REFUND.name) seen = [...values];
    return run(statement, values, sent);
  };
  try {
    const { status } = await system.client.post(`/v1/payments/${id}/refunds`, { amount });
    expect(status).toBe(201);
  } finally {
    db.run = run;
  }
  return seen;
}

const KEY_HASH = 1;
const AMOUNT = 12;
const PROCESSOR_KEY = 15;

/** The same claim under another key, of another amount. */
function withAmount(values: unknown[], amount: number): unknown[] {
  return values
    .with(KEY_HASH, randomBytes(32))
    .with(AMOUNT, amount)
    .with(PROCESSOR_KEY, randomUUID());
}

async function footprint(id: string): Promise<object> {
  const { rows } = await system.owner.query(
    `SELECT (SELECT count(*) FROM idempotency_keys WHERE payment_id = $1) AS keys,
            (SELECT count(*) FROM operations WHERE payment_id = $1) AS operations,
            (SELECT count(*) FROM refunds WHERE payment_id = $1) AS refunds,
            (SELECT amount_reserved FROM payments WHERE id = $1) AS reserved`,
    [id],
  );
  return rows[0];
}

type Told = RacedAnswer & { json: any };

/** The answers in the order of the requests. */
async function raceRefunds(id: string, body: (nth: number) => object): Promise<Told[]> {
  const path = `/v1/payments/${id}/refunds`;
  const requests = Array.from({ length: RACERS }, (_, nth) => ({
    key: `${nth} of ${randomUUID()}`,
    body: JSON.stringify(body(nth)),
    path,
  }));
  const answers = await race(system.client, requests, PROCESSES);
  const perProcess = RACERS / PROCESSES;
  return requests.map((_, nth) => {
    const answer = answers[(nth % PROCESSES) * perProcess + Math.floor(nth / PROCESSES)];
    if (answer === undefined) throw new Error(`Request ${nth} has no answer`);
    return { ...answer, json: JSON.parse(answer.text) };
  });
}

function told(answers: Told[]): string {
  return answers.map(({ status, json }) => `${status} ${json.code ?? json.status}`).join(', ');
}

function sum(parts: number[]): number {
  return parts.reduce((total, amount) => total + amount, 0);
}
