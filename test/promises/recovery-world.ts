import { daysAhead, makePartitions } from '#postgres/daily-partitions.js';
import { type System, startSystem } from '#testing/system.js';
import { type Books, readBooks } from '#testing/three-books.js';
import { expect } from 'vitest';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A system with a bent clock and little patience, for what recovery does and does not do. */
export class RecoveryWorld {
  private constructor(readonly system: System) {}

  static async start(): Promise<RecoveryWorld> {
    const env = { PROCESSOR_TIMEOUT_MS: '600', RECOVERY_TRIES_MAX: '3' };
    return new RecoveryWorld(await startSystem({ env, bendTime: true }));
  }

  pay(method: string, key: string) {
    return this.system.client.pay({ order_id: key, payment_method: `pm_test_${method}` }, key);
  }

  read(key: string): Promise<Books> {
    const { owner, mockClient, account } = this.system;
    return readBooks({ owner, mockClient, accountId: account.id }, key);
  }

  said(event: string) {
    return this.system.log.filter((line) => line.event === event);
  }

  /** Passes of the sweep, each `ms` after the one before. */
  async sweep(passes: number, ms = 1_000): Promise<void> {
    for (let pass = 0; pass < passes; pass++) {
      await this.system.advance(ms);
      await this.system.sweep();
    }
  }

  /** Days later; the worker would have made their partitions on the way. */
  async daysLater(days: number): Promise<void> {
    const { owner } = this.system;
    await this.system.advance(days * DAY_MS);
    await makePartitions(owner, 'saved_answers', await daysAhead(owner, 0, 1));
  }

  /** Without the processor's clock, since it may refuse connections. */
  async moveDatabaseClock(ms: number): Promise<void> {
    const move = `UPDATE test_clock SET advance = advance + $1 * interval '1 ms'`;
    await this.system.owner.query(move, [ms]);
  }

  async untilMockListens(): Promise<void> {
    const { mockClient } = this.system;
    const health = () => mockClient.get('/_control/health').then(({ status }) => status);
    await expect.poll(() => health().catch(() => 0), { timeout: 15_000 }).toBe(200);
  }

  close(): Promise<void> {
    return this.system.close();
  }
}
