import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sweepInbox } from '#payments/sweep-inbox.js';
import { type System, startSystem } from '#testing/system.js';
import { criticals, deliver, eventOf, inboxOf } from './webhook-world.js';

let system: System;
beforeEach(async () => void (system = await startSystem({ bendTime: true })));
afterEach(() => system.close());

describe('poison', () => {
  it('is set aside after three tries, said once, and blocks nothing newer', async () => {
    const poison = eventOf({}, { id: 'evt_poison' });
    await deliver(system, poison);
    await system.owner.query(
      `UPDATE webhook_inbox SET payload = 'no JSON' WHERE event_id = 'evt_poison'`,
    );
    const newer = eventOf({});
    await deliver(system, newer);
    expect(await system.sweepInbox()).toEqual({ failed: 1, ignored: 1 });
    await system.advance(10_000);
    expect(await system.sweepInbox()).toEqual({ failed: 1 });
    expect(criticals(system)).toEqual([]);
    await system.advance(10_000);
    expect(await system.sweepInbox()).toEqual({ set_aside: 1 });
    expect(await inboxOf(system, 'evt_poison')).toMatchObject([{ state: 'set_aside', tries: 3 }]);
    expect(criticals(system)).toMatchObject([{ event: 'event_set_aside', event_id: 'evt_poison' }]);
    await system.advance(3_600_000);
    expect(await system.sweepInbox()).toEqual({});
  });
});

describe('two workers over one inbox', () => {
  it('share it, and each event has one', async () => {
    const ids = Array.from({ length: 60 }, (_, at) => `evt_${at}`);
    for (const id of ids) await deliver(system, eventOf({}, { id }));
    const passes = await Promise.all(
      ['wrk_a', 'wrk_b'].map((name) => sweepInbox(system.core.deps, name)),
    );
    expect(passes.map(({ ended }) => ended.ignored ?? 0).reduce((a, b) => a + b)).toBe(60);
    expect((await inboxOf(system)).every(({ state }) => state === 'ignored')).toBe(true);
  });
});
