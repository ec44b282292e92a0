import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deriveProcessorKey } from '#idempotency/processor-key.js';
import { HOUR_MS, ReviewWorld } from './review-world.js';

let world: ReviewWorld;
beforeEach(async () => void (world = await ReviewWorld.start()));
afterEach(() => world.close());

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('the review queue', () => {
  it('has an entry for each operation that waits for a person, and for no other', async () => {
    expect(await world.queue()).toEqual([]);
    const [item] = await world.inReview('pm_test_error_charged');
    await world.processorIsBack();
    await world.system.client.pay({ payment_method: 'pm_test_lose_response' });
    expect(await world.queue()).toEqual([
      {
        operation_id: item?.operationId,
        kind: 'charge',
        account_id: world.system.account.id,
        payment_id: item?.paymentId,
        refund_id: null,
        amount: 2500,
        currency: 'myr',
        since: INSTANT,
        review_at: INSTANT,
        tries: 0,
        reason: expect.stringMatching(/503/),
        attempts_made: 2,
        attempts: [
          {
            attempt_no: 1,
            action: 'send',
            actor: 'request',
            outcome: 'unknown',
            detail: expect.any(String),
            opened_at: INSTANT,
            closed_at: INSTANT,
          },
          expect.objectContaining({ attempt_no: 2, actor: 'worker', outcome: 'unknown' }),
        ],
        processor: { name: 'mock', id: null },
      },
    ]);
  });

  it('is listed oldest first, page by page, each mode for itself', async () => {
    const made = await world.inReview(
      'pm_test_error_charged',
      'pm_test_error_not_charged',
      'pm_test_lose_request',
    );
    const seen: string[] = [];
    for (let after = ''; ;) {
      const { json } = await world.ann.get(`/v1/operations/reviews?limit=2${after}`);
      seen.push(...json.data.map((entry: { operation_id: string }) => entry.operation_id));
      if (json.next === null) break;
      after = `&after=${json.next}`;
    }
    expect(seen).toEqual(made.map(({ operationId }) => operationId));
    const live = await world.system.newOperator('Ann', 'live');
    expect(await world.queue(live)).toEqual([]);
    for (const query of ['limit=0', 'after=x', 'status=pending']) {
      expect((await world.ann.get(`/v1/operations/reviews?${query}`)).status).toBe(400);
    }
  });

  it('shows no more than the latest 50 attempts of an entry, in their order', async () => {
    const [item] = await world.inReview('pm_test_error_charged');
    await world.system.owner.query(
      `INSERT INTO attempts (account_id, operation_id, attempt_no, action, actor, request_id, opened_at,
                             outcome, detail, closed_at)
       SELECT account_id, id, n, 'look_up', 'worker', 'wrk', payonce_now(), 'unknown',
              CASE WHEN n = 60 THEN 'card 4242 4242 4242 4242' ELSE 'no' END, payonce_now()
         FROM operations, generate_series(3, 60) AS n WHERE id = $1`,
      [item?.operationId],
    );
    const [entry] = await world.queue();
    const numbers = entry.attempts.map((attempt: { attempt_no: number }) => attempt.attempt_no);
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, at) => at + 11));
    expect(entry.attempts.at(-1).detail).not.toContain('4242 4242 4242 4242');
  });
});

describe('looking up again', () => {
  it('leaves in review what it cannot settle, and moves nothing of what recovery has planned', async () => {
    const [item] = await world.inReview('pm_test_error_charged');
    const id = item?.operationId ?? '';
    const planned = async () =>
      (
        await world.system.owner.query(
          'SELECT next_try_at, tries, waits, review_at FROM unresolved',
        )
      ).rows;
    const before = await planned();
    const { status, json } = await world.lookUp(id);
    expect([status, json.standing, json.operation_id]).toEqual([200, 'in_review', id]);
    expect(json.review).toEqual((await world.queue())[0]);
    expect(json.review.attempts.at(-1)).toMatchObject({ action: 'look_up', actor: 'operator' });
    expect(json.payment).toMatchObject({ id: item?.paymentId, status: 'pending' });
    expect(await planned()).toEqual(before);
  });

  it('records what it finds, and the first caller gets the final bytes', async () => {
    const [item] = await world.inReview('pm_test_error_charged');
    if (!item) throw new Error('nothing in review');
    await world.processorIsBack();
    const { status, json } = await world.lookUp(item.operationId);
    expect([status, json.standing, json.review]).toEqual([200, 'resolved', null]);
    expect(json.payment.status).toBe('succeeded');
    const retry = await world.retry(item);
    expect([retry.status, retry.json]).toEqual([201, json.payment]);
    const books = await world.books(item);
    expect(books.charges).toHaveLength(1);
    expect(books.ledger.map(({ entry_kind: kind }) => kind)).toEqual(['charge', 'processor_fee']);
    expect(await world.queue()).toEqual([]);
  });

  it('sends nothing, although the send limit may not have passed', async () => {
    const [item] = await world.inReview('pm_test_lose_request');
    await world.system.owner.query(
      `UPDATE operations SET send_until = payonce_now() + interval '1 h' WHERE id = $1`,
      [item?.operationId],
    );
    await world.processorIsBack();
    expect((await world.lookUp(item?.operationId ?? '')).json.standing).toBe('in_review');
    expect(await world.system.booked()).toEqual([]);
  });
});

describe('resolved as happened', () => {
  it('is recorded from what is read back, and the first caller gets the final bytes', async () => {
    const [item] = await world.inReview('pm_test_error_charged');
    if (!item) throw new Error('nothing in review');
    await world.processorIsBack();
    const [charge] = await world.system.booked('charge');
    const resolved = await world.resolve(item.operationId, {
      as: 'happened',
      processor_id: charge?.id,
    });
    expect([resolved.status, resolved.json.standing]).toEqual([200, 'resolved']);
    expect(resolved.json.payment).toMatchObject({
      status: 'succeeded',
      processor: { id: charge?.id },
    });
    const retry = await world.retry(item);
    expect([retry.status, retry.json]).toEqual([201, resolved.json.payment]);
    expect(retry.headers.get('idempotent-replayed')).toBe('true');
    const books = await world.books(item);
    expect(books.ledger).toHaveLength(2);
    expect(books.events.map(({ type }) => type)).toEqual(['payment.succeeded']);
    expect(books.attempts.at(-1)).toMatchObject({ actor: 'operator', outcome: 'succeeded' });
    expect(await world.system.booked('charge')).toHaveLength(1);
  });

  it('settles what no look-up can: two charges at the processor under one reference', async () => {
    const [item] = await world.inReview('pm_test_error_charged');
    if (!item) throw new Error('nothing in review');
    await world.processorIsBack();
    const { id: accountId } = world.system.account;
    const second = await world.system.mockClient.charge('pm_123', {
      intent: deriveProcessorKey(accountId, 'charge', item.key),
      'metadata[payonce_account]': accountId,
    });
    expect((await world.lookUp(item.operationId)).json.standing).toBe('in_review');
    const [first] = await world.system.booked('charge');
    expect(first?.id).not.toBe(second.json.id);
    const resolved = await world.resolve(item.operationId, {
      as: 'happened',
      processor_id: first?.id,
    });
    expect(resolved.json.payment.processor.id).toBe(first?.id);
  });

  it.each([
    ['nothing is there', () => 'pi_none'],
    ['it is a charge of another intent', (other: string) => other],
  ])('is refused where %s, and nothing changes', async (_why, name) => {
    const [item] = await world.inReview('pm_test_error_charged');
    if (!item) throw new Error('nothing in review');
    await world.processorIsBack();
    const other = (await world.system.client.pay()).json.processor.id;
    const before = await world.books(item);
    const [planned] = await world.queue();
    const refused = await world.resolve(item.operationId, {
      as: 'happened',
      processor_id: name(other),
    });
    expect([refused.status, refused.json.code]).toEqual([409, 'proof_not_confirmed']);
    expect(refused.json.detail).toContain(name(other));
    const { attempts: _attempts, ...after } = await world.books(item);
    expect(before).toMatchObject(after);
    const [entry] = await world.queue();
    expect(entry).toMatchObject({ tries: planned.tries, review_at: planned.review_at });
    expect(await world.audit()).toEqual([]);
  });

  it('is refused where the processor declined it, or cannot be asked', async () => {
    const [item] = await world.inReview('pm_test_error_charged');
    if (!item) throw new Error('nothing in review');
    const happened = { as: 'happened', processor_id: 'pi_1' };
    const away = await world.resolve(item.operationId, happened);
    expect([away.status, away.json.code]).toEqual([409, 'proof_not_confirmed']);
    await world.processorIsBack();
    const declined = await world.system.mockClient.charge('pm_card_chargeDeclined', {
      intent: deriveProcessorKey(world.system.account.id, 'charge', item.key),
      'metadata[payonce_account]': world.system.account.id,
    });
    const { id } = declined.json.error.payment_intent;
    const refused = await world.resolve(item.operationId, { as: 'happened', processor_id: id });
    expect([refused.status, refused.json.code]).toEqual([409, 'proof_not_confirmed']);
    expect(await world.queue()).toHaveLength(1);
  });
});

describe('resolved as not happened', () => {
  it('answers the first caller 402 for good, and frees the order', async () => {
    const [item] = await world.inReview('pm_test_error_not_charged');
    if (!item) throw new Error('nothing in review');
    const resolved = await world.resolve(item.operationId, { as: 'did_not_happen' });
    expect([resolved.status, resolved.json.standing]).toEqual([200, 'resolved']);
    expect(resolved.json.payment).toMatchObject({
      status: 'failed',
      failure: { code: 'payment_not_charged' },
    });
    const [first, second] = [await world.retry(item), await world.retry(item)];
    expect([first.status, first.json.code]).toEqual([402, 'payment_not_charged']);
    expect(second.text).toBe(first.text);
    expect(first.json.payment).toEqual(resolved.json.payment);
    const books = await world.books(item);
    expect([books.ledger, books.charges]).toEqual([[], []]);
    expect(books.events.map(({ type }) => type)).toEqual(['payment.failed']);
    expect(books.attempts.at(-1)).toMatchObject({ actor: 'operator', outcome: 'not_charged' });
    await world.processorIsBack();
    const again = await world.system.client.pay({ order_id: item.key });
    expect(again.status).toBe(201);
  });

  it('is refused where the processor shows it, and nothing changes', async () => {
    const [item] = await world.inReview('pm_test_error_charged');
    if (!item) throw new Error('nothing in review');
    await world.processorIsBack();
    const [charge] = await world.system.booked('charge');
    const refused = await world.resolve(item.operationId, { as: 'did_not_happen' });
    expect([refused.status, refused.json.code]).toEqual([409, 'proof_not_confirmed']);
    expect(refused.json.detail).toContain(charge?.id);
    expect(await world.audit()).toEqual([]);
    await world.system.advance(HOUR_MS);
    await world.system.sweep();
    expect((await world.retry(item)).status).toBe(201);
  });
});
