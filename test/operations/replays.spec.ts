import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TAKE_DUE_EVENTS } from '#events/inbox.sql.js';
import type { ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { deliver, eventOf, inboxOf, referenceOf } from '../webhooks/webhook-world.js';

let system: System;
let ann: ApiClient;
beforeEach(async () => {
  system = await startSystem({ bendTime: true });
  ann = await system.newOperator('Ann');
});
afterEach(() => system.close());

const replay = (id: string, client = ann, body: object = { reason: 'again' }) =>
  client.send('POST', `/v1/operations/inbox/${id}/replay`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
const replayRange = (body: object) =>
  ann.send('POST', '/v1/operations/inbox/replay', {
    body: JSON.stringify({ reason: 'again', ...body }),
    headers: { 'content-type': 'application/json' },
  });
const audit = async (client = ann) => (await client.get('/v1/operations/audit')).json.data;
const rowsOf = async () =>
  (await system.owner.query('SELECT * FROM webhook_inbox ORDER BY event_id')).rows;
const now = async (): Promise<string> =>
  (await system.owner.query('SELECT payonce_now() AS now')).rows[0].now.toISOString();

/** News of a charge of ours, applied. */
async function appliedNews(id: string, client = system.client): Promise<{ paymentId: string }> {
  const paid = await client.pay({}, `key of ${id}`);
  const { rows } = await system.owner.query('SELECT account_id FROM payments WHERE id = $1', [
    paid.json.id,
  ]);
  const reference = referenceOf(rows[0].account_id, `key of ${id}`);
  await deliver(system, eventOf({ ...reference, id: paid.json.processor.id }, { id }));
  expect(await system.sweepInbox()).toEqual({ applied: 1 });
  return { paymentId: paid.json.id };
}

describe('the replay of an event', () => {
  it('applies it once more, which changes nothing, however often', async () => {
    const { paymentId } = await appliedNews('evt_1');
    const books = async () => {
      const { rows: ledger } = await system.owner.query('SELECT * FROM ledger_entries ORDER BY id');
      const { rows: events } = await system.owner.query('SELECT * FROM outbox_events ORDER BY id');
      return {
        ledger,
        events,
        payment: (await system.client.get(`/v1/payments/${paymentId}`)).text,
      };
    };
    const before = await books();
    const answer = await replay('evt_1');
    expect([answer.status, answer.json]).toEqual([200, { replayed: 1 }]);
    expect(await rowsOf()).toMatchObject([
      { state: 'received', tries: 0, applied_at: null, reason: null, payment_id: paymentId },
    ]);
    const both = await Promise.all([replay('evt_1'), replay('evt_1')]);
    expect(both.map(({ json }) => json)).toEqual([{ replayed: 1 }, { replayed: 1 }]);
    expect(await system.sweepInbox()).toEqual({ applied: 1 });
    expect(await rowsOf()).toMatchObject([{ state: 'applied', applied_at: expect.any(Date) }]);
    expect(await books()).toEqual(before);
  });

  it('brings back what was set aside, with all its tries', async () => {
    await deliver(system, eventOf({}, { id: 'evt_poison' }));
    const write = (payload: string) =>
      system.owner.query('UPDATE webhook_inbox SET payload = $1', [payload]);
    const [stored] = await inboxOf(system);
    await write('no JSON');
    for (let pass = 0; pass < 3; pass++) {
      await system.sweepInbox();
      await system.advance(10_000);
    }
    expect(await inboxOf(system)).toMatchObject([{ state: 'set_aside', tries: 3 }]);
    await write(stored?.payload ?? '');
    expect((await replay('evt_poison')).json).toEqual({ replayed: 1 });
    expect(await inboxOf(system)).toMatchObject([{ state: 'received', tries: 0 }]);
    expect(await system.sweepInbox()).toEqual({ ignored: 1 });
    expect(await audit()).toMatchObject([
      {
        actor: 'Ann',
        action: 'inbox.replay',
        target: 'event:evt_poison',
        reason: 'again',
        before: { state: 'set_aside', tries: 3, running: false },
        after: { state: 'received', tries: 0, reason: null, running: false },
      },
    ]);
  });

  it('hurries one that waits, and takes none out of the hands of a worker', async () => {
    await deliver(system, eventOf(referenceOf(system.account.id, 'unseen'), { id: 'evt_waits' }));
    expect(await system.sweepInbox()).toEqual({ wait: 1 });
    expect(await system.sweepInbox()).toEqual({});
    expect((await replay('evt_waits')).json).toEqual({ replayed: 1 });

    const { db, terms } = system.core.deps;
    const taken = await db.run(TAKE_DUE_EVENTS, ['mock', terms.leaseMs, 10]);
    expect(taken).toMatchObject([{ event_id: 'evt_waits' }]);
    const before = await rowsOf();
    expect((await replay('evt_waits')).json).toEqual({ replayed: 0 });
    expect(
      (await replayRange({ from: '2020-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' })).json,
    ).toEqual({ replayed: 0 });
    expect(await rowsOf()).toEqual(before);
    expect((await audit()).at(1)).toMatchObject({
      target: 'event:evt_waits',
      before: { running: true },
      after: { state: 'received', running: true },
    });

    await system.advance(terms.leaseMs); // its worker has died
    expect((await replay('evt_waits')).json).toEqual({ replayed: 1 });
  });

  it('finds no event that is not there, or that tells of an account of the other mode', async () => {
    const live = await system.newClient({ name: 'first', mode: 'live' });
    const liveAnn = await system.newOperator('Ann', 'live');
    await appliedNews('evt_test');
    await appliedNews('evt_live', live);
    const before = await rowsOf();
    const missing = [
      await replay('evt_none'),
      await replay('evt_%00'),
      await replay('evt_live'),
      await replay('evt_test', liveAnn),
    ].map(({ json }) => ({ ...json, request_id: null }));
    expect(missing[0]).toMatchObject({ status: 404, code: 'not_found' });
    expect(missing).toEqual(missing.map(() => missing[0]));
    expect(await rowsOf()).toEqual(before);
    expect([await audit(), await audit(liveAnn)]).toEqual([[], []]);
  });

  it('is not done without a reason, or without its audit row', async () => {
    await appliedNews('evt_1');
    const before = await rowsOf();
    const refused = await replay('evt_1', ann, {});
    expect([refused.status, refused.json.param]).toEqual([400, 'reason']);
    await system.owner.query('REVOKE INSERT ON audit_log FROM payonce_app');
    expect((await replay('evt_1')).status).toBe(500);
    expect(await rowsOf()).toEqual(before);
  });
});

describe('the replay of a time', () => {
  it('is of the events that were stored in it, with its first instant and without its last', async () => {
    const live = await system.newClient({ name: 'first', mode: 'live' });
    await appliedNews('evt_0');
    await system.advance(60_000);
    await appliedNews('evt_1');
    await deliver(system, eventOf({}, { id: 'evt_2' }));
    expect(await system.sweepInbox()).toEqual({ ignored: 1 });
    await appliedNews('evt_live', live);
    const stored = await system.owner.query(
      `SELECT event_id, stored_at FROM webhook_inbox ORDER BY event_id`,
    );
    await system.advance(60_000);
    await appliedNews('evt_3');
    await system.owner.query(
      `UPDATE webhook_inbox SET stored_at = date_trunc('milliseconds', stored_at)`,
    );
    const from = new Date(Math.floor(stored.rows[1].stored_at.getTime())).toISOString();
    const to = (
      await system.owner.query(`SELECT stored_at FROM webhook_inbox WHERE event_id = 'evt_3'`)
    ).rows[0].stored_at.toISOString();
    const answer = await replayRange({ from, to });
    expect([answer.status, answer.json]).toEqual([200, { replayed: 2 }]);
    const states = (await rowsOf()).map(({ event_id: id, state }) => [id, state]);
    expect(Object.fromEntries(states)).toEqual({
      evt_0: 'applied',
      evt_1: 'received',
      evt_2: 'received',
      evt_3: 'applied',
      evt_live: 'applied',
    });
    expect(await audit()).toMatchObject([
      {
        action: 'inbox.replay',
        target: `events:${from}/${to}`,
        before: { states: { applied: 1, ignored: 1 } },
        after: { replayed: 2 },
      },
    ]);
    expect(await system.sweepInbox()).toEqual({ applied: 1, ignored: 1 });
  });

  it('is bounded: of too many, none is replayed', async () => {
    await system.owner.query(
      `INSERT INTO webhook_inbox (processor_name, event_id, type, payload, body_hash, state, deliveries, stored_at)
       SELECT 'mock', 'evt_' || n, 'x', '{}', sha256('x'), 'ignored', 0, payonce_now()
         FROM generate_series(1, 10001) AS n`,
    );
    const range = { from: '2020-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' };
    const refused = await replayRange(range);
    expect([refused.status, refused.json.param]).toEqual([400, 'to']);
    expect(refused.json.detail).toContain('10000');
    const { rows } = await system.owner.query('SELECT DISTINCT state FROM webhook_inbox');
    expect([rows, await audit()]).toEqual([[{ state: 'ignored' }], []]);
    await system.owner.query(`DELETE FROM webhook_inbox WHERE event_id = 'evt_1'`);
    expect((await replayRange(range)).json).toEqual({ replayed: 10_000 });
  });

  it('of nothing is told of as well', async () => {
    const at = await now();
    expect((await replayRange({ from: '2020-01-01T00:00:00Z', to: at })).json).toEqual({
      replayed: 0,
    });
    expect(await audit()).toMatchObject([{ before: { states: {} }, after: { replayed: 0 } }]);
  });

  it.each([
    [{ from: '2026-12-01T00:00:00Z' }, 'to'],
    [{ to: '2026-12-01T00:00:00Z' }, 'from'],
    [{ from: 'yesterday', to: '2026-12-01T00:00:00Z' }, 'from'],
    [{ from: '2026-02-30T00:00:00Z', to: '2026-12-01T00:00:00Z' }, 'from'],
    [{ from: '2026-12-01T00:00:00Z', to: '2026-12-01T00:00:00Z' }, 'to'],
    [{ from: 1, to: 2 }, 'from'],
    [{ from: '2026-12-01T00:00:00Z', to: '2026-12-02T00:00:00Z', reason: '' }, 'reason'],
    [{ from: '2026-12-01T00:00:00Z', to: '2026-12-02T00:00:00Z', limit: 5 }, 'limit'],
  ])('is 400 for %j', async (body, param) => {
    const { status, json } = await replayRange(body);
    expect([status, json.code, json.param]).toEqual([400, 'validation_failed', param]);
  });
});
