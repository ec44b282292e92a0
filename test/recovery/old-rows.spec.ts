import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { daysAhead, makePartitions } from '#postgres/daily-partitions.js';
import type { Answer } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';
import { type Books, disagreements, readBooks } from '#testing/three-books.js';
import { databaseOf } from './old-rows.js';

/**
 * Rows that older code left in flight are finished by the code of today. Each folder below `rows` holds what one
 * version wrote, word for word, out of a real run: a file for each point at which a process may have left a
 * payment, its rows under the keys `<file>-caller` and `<file>-worker`, so that either of the two can finish it.
 *
 * A version that changes what is written for a payment in flight adds a folder of its own: it leaves each point
 * of the table below once (a processor call that never returns leaves a claim; the mock's faults leave the rest),
 * dumps each key's rows as INSERTs in the order of their foreign keys, and writes the instant at which it stopped
 * into `account-and-marks.sql`. It names its last migration here. Files of older versions are never edited.
 */
const V1 = { folder: join(import.meta.dirname, 'rows/v1'), lastMigration: 9 };

const DAY_MS = 86_400_000;
const METHODS: Record<string, string> = {
  declined: 'pm_card_chargeDeclined',
  'late-success': 'pm_card_chargeDeclined',
  'stored-error': 'pm_test_error_not_charged',
};

describe('rows of the first version', () => {
  let system: System;
  beforeAll(async () => {
    const env = { VISIBILITY_WINDOW_MS: '1000' };
    system = await startSystem({ database: await databaseOf(V1), env });
    // Some of what nobody knows had been charged.
    for (const key of CHARGED) await chargeAsBefore(key);
    // The event tells of an object that has another id at this test's processor.
    await system.owner.query(
      `UPDATE webhook_inbox SET object_id = $1, payload = replace(payload, object_id, $1)
        WHERE event_id = 'evt_v1_received'`,
      [await chargeAsBefore('news-received-worker')],
    );
  });
  afterAll(() => system.close());

  const CHARGED = ['claimed-caller', 'unknown-worker', 'taken-over-worker', 'in-review-worker'];
  const pay = (key: string): Promise<Answer> => {
    const payment_method = METHODS[key.replace(/-\w+$/, '')] ?? 'pm_1';
    return system.client.pay({ order_id: key, payment_method }, key);
  };
  const books = (key: string): Promise<Books> => {
    const { owner, mockClient, account } = system;
    return readBooks({ owner, mockClient, accountId: account.id }, key);
  };

  it.each([
    { left: 'claimed', first: 409, last: 201 },
    { left: 'unknown', first: 201, last: 201 },
    { left: 'taken-over', first: 201, last: 201 },
    { left: 'in-review', first: 201, last: 201 },
    { left: 'released', first: 201, last: 201 },
    { left: 'stored-error', first: 402, last: 402 },
    { left: 'queued', first: 202, last: 202 },
    { left: 'queued-again', first: 202, last: 202 },
    { left: 'finished', first: 201, last: 201 },
    { left: 'declined', first: 402, last: 402 },
    { left: 'late-success', first: 402, last: 402 },
  ])('$left: its caller comes again and gets $last', async ({ left, first, last }) => {
    const key = `${left}-caller`;
    const heard = [await pay(key)];
    expect(heard[0]?.status, heard[0]?.text).toBe(first);
    for (let tries = 0; tries < 40 && heard.at(-1)?.status !== last; tries++) {
      await system.advance(2_000);
      heard.push(await pay(key));
    }
    expect(heard.at(-1)?.status, heard.at(-1)?.text).toBe(last);
    await expectEnd(key, last, heard);
  });

  it.each(['canceled', 'tombstone'])('%s: stays canceled', async (left) => {
    const refused = await pay(`${left}-caller`);
    expect([refused.status, refused.json.code]).toEqual([409, 'idempotency_key_canceled']);
    expect((await books(`${left}-caller`)).charges).toEqual([]);
  });

  it('news-received: is applied, and settles the payment that it tells of', async () => {
    expect(await inboxStates()).toMatchObject({ evt_v1_received: 'received' });
    for (let pass = 0; pass < 40; pass++) {
      await system.sweepInbox();
      if ((await inboxStates())['evt_v1_received'] === 'applied') break;
      await system.advance(2_000);
    }
    expect(await inboxStates()).toMatchObject({
      evt_v1_received: 'applied',
      evt_v1_applied: 'applied',
      evt_v1_ignored: 'ignored',
      evt_v1_set_aside: 'set_aside',
    });
    await expectEnd('news-received-worker', 201, []);
  });

  it.each([
    { left: 'claimed', last: 201 },
    { left: 'unknown', last: 201 },
    { left: 'taken-over', last: 201 },
    { left: 'in-review', last: 201 },
    { left: 'stored-error', last: 402 },
    { left: 'queued', last: 201 },
    { left: 'queued-again', last: 201 },
  ])('$left: the worker finishes it, and its caller hears $last', async ({ left, last }) => {
    const key = `${left}-worker`;
    for (let pass = 0; pass < 40 && (await books(key)).key?.state !== 'finished'; pass++) {
      await system.sweep();
      // One that lies in review is looked at each hour.
      await system.advance(left === 'in-review' ? 600_000 : 2_000);
    }
    await expectEnd(key, last, []);
  });

  it.each(['queued-caller', 'queued-again-caller'])('%s: is charged by then', async (key) => {
    await expectEnd(key, 201, []);
  });

  it('released: no sweep sends it; its caller may, and at its end it is closed', async () => {
    expect((await books('released-worker')).key?.state).toBe('released');
    expect((await pay('released-worker')).status).toBe(201);
    await expectEnd('released-worker', 201, []);
    await system.advance(8 * DAY_MS);
    await makePartitions(system.owner, 'saved_answers', await daysAhead(system.owner, 0, 1));
    await system.sweep();
    const key = 'released-to-its-end-worker';
    expect((await pay(key)).json.code).toBe('payment_not_charged');
    await expectEnd(key, 402, []);
  });

  it('late-success: news that the old code could only hold is recorded, and stands in suspense', async () => {
    expect(await inboxStates()).toMatchObject({ evt_v1_held: 'received' });
    const there = await chargeAsBefore('late-success-caller');
    await system.owner.query(
      `UPDATE webhook_inbox SET object_id = $1, payload = replace(payload, object_id, $1), next_try_at = payonce_now()
        WHERE event_id = 'evt_v1_held'`,
      [there],
    );
    await system.sweepInbox();
    expect(await inboxStates()).toMatchObject({ evt_v1_held: 'applied' });
    const { ledger } = await books('late-success-caller');
    expect(ledger.map(({ entry_kind }) => entry_kind)).toContain('late_success');
  });

  /** The three books of one key, and the same answer once more. */
  async function expectEnd(key: string, status: number, heard: Answer[]): Promise<void> {
    if (status === 202) return;
    const replay = await pay(key);
    expect(replay.status, replay.text).toBe(status);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    const found = await books(key);
    const ofOldMock = /^(finished|late-success)/.test(key); // its book is not in the rows
    if (status === 201 && !ofOldMock) {
      expect(disagreements(found, [...heard, replay])).toEqual([]);
    } else {
      const outcome = status === 201 ? 'succeeded' : 'failed';
      expect([found.key?.state, found.payment?.status]).toEqual(['finished', outcome]);
      expect(found.saved.map((row) => row.body.toString('utf8'))).toEqual([replay.text]);
      if (status === 402) expect([found.charges, found.ledger]).toEqual([[], []]);
    }
  }

  /** What the old code's call would have done at the processor. */
  async function chargeAsBefore(key: string): Promise<string> {
    const { rows } = await system.owner.query(
      `SELECT o.* FROM operations o JOIN payments p ON p.id = o.payment_id WHERE p.order_id = $1`,
      [key],
    );
    const { account_id, processor_key, amount, currency, api_version, rendering_version } = rows[0];
    const request = {
      processorKey: processor_key,
      accountId: account_id,
      amount: Number(amount),
      currency,
      paymentMethod: 'pm_1',
      capture: 'automatic' as const,
      apiVersion: api_version,
      renderingVersion: rendering_version,
    };
    const made = await system.core.deps.processor.charge(request, { timeoutMs: 10_000 });
    if (made.kind !== 'succeeded') throw new Error(`${key}: ${made.kind}`);
    return made.processorId;
  }

  async function inboxStates(): Promise<Record<string, string>> {
    const { rows } = await system.owner.query('SELECT event_id, state FROM webhook_inbox');
    return Object.fromEntries(rows.map(({ event_id, state }) => [event_id, state]));
  }
});
