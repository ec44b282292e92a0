import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { moneyOf } from '../webhooks/money-world.js';
import { applyAll, happens, untilHeard } from '../webhooks/webhook-world.js';

describe('breaks, as operators settle them', () => {
  let system: System;
  let ann: ApiClient;
  beforeAll(async () => {
    system = await startSystem({ bendTime: true, webhooks: true });
    ann = await system.newOperator('Ann');
  });
  afterAll(() => system.close());

  const WHY = { reason_code: 'goods_sent', reason: 'The customer has the goods.' };

  /** A payment whose money came late, and the break of it. */
  async function late(order = randomUUID()) {
    const body = { payment_method: 'pm_card_chargeDeclined', order_id: order };
    const { json } = await system.client.pay(body);
    const { id, processor } = json.payment;
    await untilHeard(system, processor.id, 'payment_intent.payment_failed');
    await happens(system, 'late_success', { payment_intent: processor.id });
    await applyAll(system);
    const open = (await listed('?status=open')).find(({ reference }) => reference === processor.id);
    return { id: id as string, breakId: open?.id as string, open };
  }

  async function listed(query = '', client = ann): Promise<any[]> {
    const { status, json, text } = await client.get(`/v1/operations/breaks${query}`);
    expect(status, text).toBe(200);
    return json.data;
  }

  const act = (id: string, deed: string, body: object = WHY, client = ann) =>
    client.send('POST', `/v1/operations/breaks/${id}/${deed}`, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });

  const audited = async (id: string) => {
    const { json } = await ann.get('/v1/operations/audit?limit=100');
    return json.data.filter(({ target }: { target: string }) => target === `break:${id}`);
  };

  it('show what differs, whose it is, and since when', async () => {
    const { id, open } = await late();
    expect(open).toMatchObject({
      object: 'break',
      kind: 'late_success',
      payment_id: id,
      account_id: system.account.id,
      severity: 'critical',
      amount: 2500,
      currency: 'myr',
      status: 'open',
      closed_at: null,
      details: { payment_was: 'failed' },
    });
    expect((await listed('?status=closed')).map((row) => row.id)).not.toContain(open?.id);
    const [newest] = await listed('?limit=1');
    expect(newest).toEqual(open);
  });

  it('are accepted, with an act in the audit log', async () => {
    const { id, breakId } = await late();
    const answer = await act(breakId, 'accept');
    expect([answer.status, answer.json]).toMatchObject([
      200,
      { id: breakId, status: 'closed', closed_by: 'Ann', ...WHY },
    ]);
    expect(await moneyOf(system, id)).toMatchObject({ status: 'succeeded', captured: 2500 });
    expect(await audited(breakId)).toMatchObject([
      {
        actor: 'Ann',
        action: 'break.accept',
        reason: WHY.reason,
        before: { status: 'failed' },
        after: { status: 'succeeded', reason_code: 'goods_sent' },
      },
    ]);
    const again = await act(breakId, 'accept');
    expect([again.status, again.json.code]).toEqual([409, 'break_not_settleable']);
    expect(await audited(breakId)).toHaveLength(1);
  });

  it('are given back, with an act in the audit log, however often that is asked for', async () => {
    const { id, breakId } = await late();
    const answers = [await act(breakId, 'refund'), await act(breakId, 'refund')];
    for (const { status, json } of answers) {
      expect([status, json.status]).toEqual([200, 'open']);
      expect(json.refund_ordered_at).not.toBeNull();
    }
    const refused = await act(breakId, 'accept');
    expect([refused.status, refused.json.code]).toEqual([409, 'break_not_settleable']);
    expect(refused.json.detail).toBe('A refund of this money was ordered.');
    await system.sweep();
    await applyAll(system);
    const money = await moneyOf(system, id);
    expect(money).toMatchObject({ status: 'failed', breaks: [{ status: 'closed' }] });
    expect(money.ledger.at(-1)).toEqual(['late_success_refund', 2500]);
    expect(await audited(breakId)).toMatchObject([{ action: 'break.refund', actor: 'Ann' }]);
  });

  it('whose order another payment holds by now can only be given back', async () => {
    const order = randomUUID();
    const { breakId } = await late(order);
    const other = await system.client.pay({ order_id: order });
    expect(other.status).toBe(201);
    const refused = await act(breakId, 'accept');
    expect([refused.status, refused.json]).toMatchObject([
      409,
      { code: 'order_already_paid', payment_id: other.json.id },
    ]);
    expect(await audited(breakId)).toEqual([]);
    expect((await act(breakId, 'refund')).status).toBe(200);
  });

  it.each([
    [{ reason_code: 'x' }, 'reason'],
    [{ reason: 'x' }, 'reason_code'],
    [{ reason: 'x', reason_code: 'Not a word' }, 'reason_code'],
    [{ ...WHY, more: 1 }, 'more'],
  ])('are not settled by %j', async (body, param) => {
    const answer = await act(randomUUID(), 'accept', body);
    expect([answer.status, answer.json.code, answer.json.param]).toEqual([
      400,
      'validation_failed',
      param,
    ]);
  });

  it('of the other mode are not there, and are none of an account’s business', async () => {
    const { breakId } = await late();
    const live = await system.newOperator('Lea', 'live');
    expect((await listed('', live)).map(({ id }) => id)).not.toContain(breakId);
    for (const deed of ['accept', 'refund']) {
      for (const id of [breakId, randomUUID(), 'nonsense']) {
        const { status, json } = await act(id, deed, WHY, live);
        expect([status, json.code]).toEqual([404, 'not_found']);
      }
      expect((await act(breakId, deed, WHY, system.client)).status).toBe(403);
    }
    expect((await system.client.get('/v1/operations/breaks')).status).toBe(403);
    expect((await ann.get('/v1/operations/breaks?status=odd')).json.param).toBe('status');
  });
});
