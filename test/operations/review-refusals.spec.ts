import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '#testing/http.js';
import { type InReview, ReviewWorld } from './review-world.js';

const ABSENT = '01a233e6-aba2-79be-9656-082ea888f483';

let world: ReviewWorld;
let bob: ApiClient;
let items: InReview[];
beforeAll(async () => {
  world = await ReviewWorld.start();
  bob = await world.system.newOperator('Bob');
  items = await world.inReview('pm_test_error_charged', 'pm_test_error_charged');
});
afterAll(() => world.close());

const stateOf = async (): Promise<unknown> => ({
  payments: (await world.system.owner.query('SELECT * FROM payments ORDER BY id')).rows,
  attempts: (await world.system.owner.query('SELECT * FROM attempts ORDER BY opened_at')).rows,
  unresolved: (await world.system.owner.query('SELECT * FROM unresolved ORDER BY claim_id')).rows,
  audit: (await world.system.owner.query('SELECT * FROM audit_log')).rows,
});

const HAPPENED = { as: 'happened', processor_id: 'pi_1', reason: 'seen there' };

describe('an act on the review queue', () => {
  it.each([
    ['no reason', 'lookup', {}, 'reason'],
    ['a reason of blanks', 'lookup', { reason: ' \n' }, 'reason'],
    ['a reason that is no text', 'lookup', { reason: 7 }, 'reason'],
    ['a long reason', 'lookup', { reason: '木'.repeat(1_001) }, 'reason'],
    ['an actor of its own', 'lookup', { reason: 'x', actor: 'Zoe' }, 'actor'],
    ['a member of the prototype', 'lookup', '{"reason":"x","constructor":1}', 'constructor'],
    ['a list', 'lookup', [], null],
    ['no reason to resolve', 'resolve', { as: 'did_not_happen' }, 'reason'],
    ['nothing to resolve it as', 'resolve', { reason: 'x' }, 'as'],
    ['another outcome', 'resolve', { ...HAPPENED, as: 'perhaps' }, 'as'],
    ['no name of what happened', 'resolve', { as: 'happened', reason: 'x' }, 'processor_id'],
    [
      'a name that leads elsewhere',
      'resolve',
      { ...HAPPENED, processor_id: '../x' },
      'processor_id',
    ],
    ['a name of nothing', 'resolve', { ...HAPPENED, as: 'did_not_happen' }, 'processor_id'],
  ])('with %s is 400, and does nothing', async (_what, act, body, param) => {
    const before = await stateOf();
    const { status, json } = await world.act(`reviews/${items[0]?.operationId}/${act}`, body);
    expect([status, json.code, json.param]).toEqual([400, 'validation_failed', param]);
    expect(await stateOf()).toEqual(before);
  });

  it('is JSON, and nothing else', async () => {
    const path = `/v1/operations/reviews/${items[0]?.operationId}/lookup`;
    const plain = await world.ann.send('POST', path, {
      body: '{"reason":"x"}',
      headers: { 'content-type': 'text/plain' },
    });
    expect(plain.json.code).toBe('unsupported_media_type');
    expect((await world.ann.send('POST', path, {})).status).toBe(415);
    const twice = await world.act(
      `reviews/${items[0]?.operationId}/lookup`,
      '{"reason":"a","reason":"b"}',
    );
    expect(twice.json.code).toBe('duplicate_member');
  });

  it('finds nothing under an id that is not there, is of the other mode, or is none', async () => {
    const live = await world.system.newOperator('Ann', 'live');
    const before = await stateOf();
    const shapes: object[] = [];
    for (const [id, client] of [
      [ABSENT, world.ann],
      ['nonsense', world.ann],
      [items[0]?.paymentId ?? '', world.ann],
      [items[0]?.operationId ?? '', live],
    ] as const) {
      for (const answer of [
        await world.lookUp(id, client),
        await world.resolve(id, { as: 'did_not_happen' }, client),
      ]) {
        shapes.push({ ...answer.json, request_id: null });
      }
    }
    expect(shapes[0]).toMatchObject({ status: 404, code: 'not_found' });
    expect(shapes).toEqual(shapes.map(() => shapes[0]));
    expect(await stateOf()).toEqual(before);
  });

  it('is refused for what is settled, and for what recovery is still at work on', async () => {
    await world.processorIsBack();
    const settled = await world.system.client.pay();
    const unknown = await world.system.client.pay({ payment_method: 'pm_test_lose_response' });
    const before = await stateOf();
    for (const { json } of [settled, unknown]) {
      const { rows } = await world.system.owner.query(
        'SELECT id FROM operations WHERE payment_id = $1',
        [json.id],
      );
      for (const answer of [
        await world.lookUp(rows[0].id),
        await world.resolve(rows[0].id, { as: 'did_not_happen' }),
      ]) {
        expect([answer.status, answer.json.code]).toEqual([409, 'operation_not_in_review']);
      }
    }
    expect(await stateOf()).toEqual(before);
  });

  it('waits for whoever holds the lease', async () => {
    const move = (by: string) =>
      world.system.owner.query(
        `UPDATE idempotency_keys SET locked_until = payonce_now() + $2::interval WHERE operation_id = $1`,
        [items[0]?.operationId, by],
      );
    await move('1 hour');
    const before = await stateOf();
    const busy = await world.resolve(items[0]?.operationId ?? '', { as: 'did_not_happen' });
    expect([busy.status, busy.json.code]).toEqual([409, 'payment_in_progress']);
    expect(await stateOf()).toEqual(before);
    await move('0');
  });

  it('is done by one of two who come at once, and told of that one alone', async () => {
    const id = items[0]?.operationId ?? '';
    const [charge] = (await world.books(items[0] as InReview)).charges;
    const happened = { as: 'happened', processor_id: charge?.id };
    const answers = await Promise.all([
      world.resolve(id, happened),
      world.resolve(id, happened, bob),
    ]);
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.json.code).toMatch(
      /^(payment_in_progress|operation_not_in_review)$/,
    );
    const winner = answers[0]?.status === 200 ? 'Ann' : 'Bob';
    expect(await world.audit()).toMatchObject([{ actor: winner, action: 'review.resolve' }]);
  });
});
