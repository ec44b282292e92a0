import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Heard, differences } from './all-books.js';
import { type System, startSystem } from './system.js';

describe('books that are read at once', () => {
  let system: System;
  const [paid, declined] = [randomUUID(), randomUUID()];
  const heard = new Map<string, Heard[]>();
  beforeAll(async () => {
    system = await startSystem();
    heard.set(paid, [await system.client.pay({}, paid)]);
    const body = { payment_method: 'pm_card_chargeDeclined' };
    heard.set(declined, [await system.client.pay(body, declined)]);
  });
  afterAll(() => system.close());

  const found = (change: [string, Heard[]][] = []) => {
    const { owner, mockClient, account } = system;
    const intents = new Map([...heard, ...change]);
    return differences({ owner, mockClient, accountId: account.id }, intents);
  };

  it('agree', async () => {
    expect(await found()).toEqual([]);
  });

  it('tell of an intent that was lost, of other bytes, and of a charge that nobody asked for', async () => {
    const lost = randomUUID();
    expect(await found([[lost, []]])).toContain(`${lost}: the processor moved money 0 times`);
    for (const [key, status] of [
      [paid, 201],
      [declined, 402],
    ] as const) {
      const [said] = await found([[key, [{ status, text: '{}' }]]]);
      expect(said).toMatch(/other bytes than/);
    }
    await system.mockClient.charge('pm_1', { key: randomUUID(), intent: randomUUID() });
    expect(await found()).toEqual([
      expect.stringMatching(/^nobody asked for the charge/),
      'ledger 2500, processor 5000',
    ]);
  });
});
