import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type System, startSystem } from '#testing/system.js';

describe('P1: one intent moves money at most once', () => {
  let system: System;
  beforeAll(async () => void (system = await startSystem()));
  afterAll(() => system.close());

  it('charges once and replays the same bytes', async () => {
    const key = randomUUID();
    const first = await system.client.pay({ order_id: key, metadata: { b: '1', a: '2' } }, key);
    expect(first.status, first.text).toBe(201);
    const again = await system.client.pay({ order_id: key, metadata: { b: '1', a: '2' } }, key);
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('original-request')).toBe(first.headers.get('request-id'));
    expect(await system.booked('charge')).toHaveLength(1);
  });
});
