import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { disagreements } from '#testing/three-books.js';
import { HOUR_MS, RecoveryWorld } from './recovery-world.js';

let world: RecoveryWorld;
const start = async () => void (world = await RecoveryWorld.start());
const stop = () => world?.close();

describe('P7: what was never sent waits for its caller', () => {
  beforeEach(start);
  afterEach(stop);

  it('and no sweep sends it; on the sixth day its retry charges once', async () => {
    const key = randomUUID();
    const first = await world.pay('busy', key);
    expect(first.status, first.text).toBe(503);
    expect(first.json).toMatchObject({ code: 'processor_unavailable' });
    for (let day = 1; day <= 6; day++) {
      await world.daysLater(1);
      await world.sweep(2);
    }
    const books = await world.read(key);
    expect(books).toMatchObject({ key: { state: 'released' }, charges: [] });
    expect(books.attempts).toMatchObject([{ actor: 'request', outcome: 'not_sent' }]);
    const last = await world.pay('busy', key);
    expect(last.status, last.text).toBe(201);
    expect(disagreements(await world.read(key), [first, last])).toEqual([]);
  });

  it('also after a refused connection', async () => {
    expect((await world.system.client.pay()).status).toBe(201); // now our account there is known
    const key = randomUUID();
    await world.system.mockClient.faults({ fault: 'refuse', for_ms: 4_000 });
    const first = await world.pay('any', key);
    expect(first.status, first.text).toBe(503);
    await world.moveDatabaseClock(HOUR_MS);
    await world.untilMockListens();
    await world.sweep(3, HOUR_MS);
    expect(await world.read(key)).toMatchObject({ key: { state: 'released' }, charges: [] });
    const last = await world.pay('any', key);
    expect(last.status, last.text).toBe(201);
    expect(disagreements(await world.read(key), [first, last])).toEqual([]);
  });

  it.each(['the sweep', 'the retry itself'])(
    'until the end of its key, when %s closes it as not charged',
    async (who) => {
      const key = randomUUID();
      const first = await world.pay('busy', key);
      await world.daysLater(7);
      if (who === 'the sweep') {
        await world.system.sweep();
        expect((await world.read(key)).payment?.status).toBe('failed');
      }
      const last = await world.pay('busy', key);
      expect({ status: last.status, code: last.json.code }).toEqual({
        status: 402,
        code: 'payment_not_charged',
      });
      const books = await world.read(key);
      expect(books).toMatchObject({ key: { state: 'finished' }, charges: [], ledger: [] });
      expect(last.text).toBe(books.saved[0]?.body.toString());
      const again = await world.pay('busy', key);
      expect(again.text).toBe(last.text);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(
        (await world.system.client.get(`/v1/payments/${first.json.payment_id}`)).json.status,
      ).toBe('failed');
    },
  );
});
