import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReviewWorld } from './review-world.js';

let world: ReviewWorld;
beforeEach(async () => void (world = await ReviewWorld.start()));
afterEach(() => world.close());

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('the audit log of acts on the queue', () => {
  it('tells who, what, why, and how it stood before and after', async () => {
    const [item] = await world.inReview('pm_test_error_charged');
    const id = item?.operationId ?? '';
    const bob = await world.system.newOperator('Bob');
    await world.lookUp(id, bob, 'card 4242424242424242 of the caller');
    await world.processorIsBack();
    const [charge] = await world.system.booked('charge');
    await world.resolve(id, { as: 'happened', processor_id: charge?.id });

    const standing = {
      kind: 'charge',
      payment_id: item?.paymentId,
      refund_id: null,
      refund_status: null,
    };
    const waiting = {
      ...standing,
      in_review: true,
      payment_status: 'pending',
      processor_id: null,
      tries: 0,
      reason: expect.any(String),
    };
    const settled = {
      ...standing,
      in_review: false,
      payment_status: 'succeeded',
      processor_id: charge?.id,
      tries: null,
      reason: null,
    };
    const target = `operation:${id}`;
    const told = await world.ann.get('/v1/operations/audit');
    expect(told.json).toEqual({
      data: [
        {
          at: INSTANT,
          actor: 'Ann',
          action: 'review.resolve',
          target,
          reason: 'seen there',
          before: waiting,
          after: settled,
        },
        {
          at: INSTANT,
          actor: 'Bob',
          action: 'review.lookup',
          target,
          reason: expect.not.stringContaining('42424242424242'),
          before: waiting,
          after: waiting,
        },
      ],
      next: null,
    });
    expect(Object.keys(told.json.data[0])).toEqual([
      'at',
      'actor',
      'action',
      'target',
      'reason',
      'before',
      'after',
    ]);
  });

  it('is listed newest first, page by page, each mode for itself', async () => {
    const [item] = await world.inReview('pm_test_error_charged');
    for (const reason of ['one', 'two', 'three']) {
      await world.lookUp(item?.operationId ?? '', world.ann, reason);
    }
    const first = (await world.ann.get('/v1/operations/audit?limit=2')).json;
    expect(first.data.map(({ reason }: { reason: string }) => reason)).toEqual(['three', 'two']);
    const rest = (await world.ann.get(`/v1/operations/audit?limit=2&after=${first.next}`)).json;
    expect(rest).toMatchObject({ data: [{ reason: 'one' }], next: null });
    const live = await world.system.newOperator('Ann', 'live');
    expect(await world.audit(live)).toEqual([]);
  });

  it('cannot be left out: where it takes no row, nothing is done', async () => {
    const [charged, notCharged] = await world.inReview(
      'pm_test_error_charged',
      'pm_test_error_not_charged',
    );
    if (!charged || !notCharged) throw new Error('nothing in review');
    await world.processorIsBack();
    const [charge] = await world.system.booked('charge');
    await world.system.owner.query('REVOKE INSERT ON audit_log FROM payonce_app');
    const happened = { as: 'happened', processor_id: charge?.id };
    const acts = [
      await world.resolve(charged.operationId, happened),
      await world.resolve(notCharged.operationId, { as: 'did_not_happen' }),
    ];
    expect(acts.map(({ status }) => status)).toEqual([409, 409]);
    for (const item of [charged, notCharged]) {
      const books = await world.books(item);
      expect(books.payment).toMatchObject({ status: 'pending', processor_id: null });
      expect([books.key?.state, books.ledger, books.events, books.saved]).toEqual([
        'started',
        [],
        [],
        [],
      ]);
    }
    expect(await world.queue()).toHaveLength(2);
    expect(await world.audit()).toEqual([]);
  });
});
