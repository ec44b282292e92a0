import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type System, freezeTime, startSystem } from '#testing/system.js';

describe('a look-up before reading', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ bendTime: true });
    await freezeTime(system.owner);
  });
  afterAll(() => system.close());

  const read = (id: string, client = system.client) => client.get(`/v1/payments/${id}`);
  const lookUps = async (id: string): Promise<number> => {
    const { rows } = await system.owner.query(
      `SELECT count(*)::int AS n FROM attempts a JOIN operations o ON o.id = a.operation_id
        WHERE o.payment_id = $1 AND a.action = 'look_up'`,
      [id],
    );
    return rows[0].n;
  };
  const item = async (id: string) =>
    (
      await system.owner.query(
        'SELECT next_try_at, tries, waits, review_at FROM unresolved WHERE payment_id = $1',
        [id],
      )
    ).rows[0];
  /** Nothing of it arrived, so no look-up ever settles it. */
  const leaveUnknown = async (): Promise<string> => {
    const unknown = await system.client.pay({ payment_method: 'pm_test_lose_request' });
    expect(unknown.status).toBe(202);
    return unknown.json.id;
  };

  it('is one, however many read at once, and one a second, however often they do', async () => {
    const id = await leaveUnknown();
    await system.advance(1_000);
    await Promise.all(Array.from({ length: 10 }, () => read(id)));
    expect(await lookUps(id)).toBe(1);
    await read(id);
    expect(await lookUps(id)).toBe(1);
    await system.advance(1_000);
    await Promise.all([read(id), read(id)]);
    expect(await lookUps(id)).toBe(2);
  });

  it('moves nothing of what recovery has planned', async () => {
    const id = await leaveUnknown();
    await system.owner.query(
      `UPDATE unresolved SET next_try_at = payonce_now() + interval '17 s', waits = 3, tries = 2
        WHERE payment_id = $1`,
      [id],
    );
    const planned = await item(id);
    await system.advance(5_000);
    await read(id);
    expect(await lookUps(id)).toBe(1);
    expect(await item(id)).toEqual(planned);
  });

  it('delays nothing where recovery had not noted it yet', async () => {
    const id = await leaveUnknown();
    // As a process leaves it that dies after sending, until the walk has passed it.
    await system.owner.query('DELETE FROM unresolved WHERE payment_id = $1', [id]);
    await system.advance(1_000);
    await read(id);
    expect(await lookUps(id)).toBe(1);
    const { rows } = await system.owner.query(
      'SELECT next_try_at <= payonce_now() AS due FROM unresolved WHERE payment_id = $1',
      [id],
    );
    expect(rows).toEqual([{ due: true }]);
    await system.sweep();
    expect((await read(id)).json.status).toBe('succeeded');
  });

  it('is for its owner alone, and not for lists, timelines, queued or released work', async () => {
    const stranger = await system.newClient();
    const id = await leaveUnknown();
    await system.advance(1_000);
    expect((await read(id, stranger)).status).toBe(404);
    await system.client.get('/v1/payments?limit=100');
    await system.client.get(`/v1/payments/${id}/timeline`);
    expect(await lookUps(id)).toBe(0);
    await system.settle(id);
    await read(id);
    expect(await lookUps(id)).toBe(0);

    const queued = await system.client.pay({}, randomUUID(), { prefer: 'respond-async' });
    const released = await system.client.pay({ payment_method: 'pm_test_busy' });
    await system.advance(1_000);
    for (const waiting of [queued.json.id, released.json.payment_id]) {
      expect((await read(waiting)).json.status).toBe('pending');
      expect(await lookUps(waiting)).toBe(0);
    }
    expect((await system.settle(queued.json.id)).json.status).toBe('succeeded');
  });

  it('that finds the charge answers the final payment, and the retry gets the same bytes', async () => {
    const key = randomUUID();
    const body = { payment_method: 'pm_test_lose_response' };
    const unknown = await system.client.pay(body, key);
    await system.advance(1_000);
    const { json } = await read(unknown.json.id);
    expect(json.status).toBe('succeeded');
    const replay = await system.client.pay(body, key);
    expect([replay.status, replay.json]).toEqual([201, json]);
    expect(await item(unknown.json.id)).toBeUndefined();
  });
});
