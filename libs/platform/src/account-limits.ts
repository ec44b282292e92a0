import type { Problem } from '#problems/problems.js';
import type { Clock } from '#seams/clock.js';

export type Limits = { inFlightMax: number; newKeysPerMinute: number };

/** Accounts that are quiet are forgotten when more than this many are remembered. */
const REMEMBERED_MAX = 10_000;

type Account = { inFlight: number; tokens: number; filledAtMs: number };

/**
 * What one account may ask of this process: requests in flight at once, and unseen keys a minute (a bucket
 * that holds a minute's worth). They only ever turn away new work: a retry of a known key is served before
 * any limit is asked.
 *
 * @keeps P9
 */
export class AccountLimits {
  readonly #accounts = new Map<string, Account>();

  constructor(
    private readonly limits: Limits,
    private readonly clock: Clock,
  ) {}

  /** Counts a request in. `full` says which limit its account has reached; always call `leave`. */
  enter(accountId: string): { full: 'in_flight' | 'new_keys' | null; leave: () => void } {
    const account = this.#account(accountId);
    const full =
      account.inFlight >= this.limits.inFlightMax
        ? 'in_flight'
        : account.tokens < 1
          ? 'new_keys'
          : null;
    account.inFlight += 1;
    return { full, leave: () => void (account.inFlight -= 1) };
  }

  /** An unseen key was claimed. */
  claimed(accountId: string): void {
    this.#account(accountId).tokens -= 1;
  }

  /** What to answer instead of using up one more new key; null while there is room. */
  refuseNewKey(accountId: string): Problem | null {
    return this.#account(accountId).tokens < 1 ? this.problem('new_keys') : null;
  }

  /** The answer to new work beyond a limit, with the time until it is worth asking again. */
  problem(full: 'in_flight' | 'new_keys'): Problem {
    if (full === 'in_flight') {
      const detail = 'Too many payments of this account are in flight.';
      return { code: 'rate_limited', detail, retryAfterSeconds: 1 };
    }
    const detail = 'This account has used too many new keys within a minute.';
    const retryAfterSeconds = Math.max(1, Math.ceil(60 / this.limits.newKeysPerMinute));
    return { code: 'rate_limited', detail, retryAfterSeconds };
  }

  #account(id: string): Account {
    const nowMs = this.clock.monotonicMs();
    let account = this.#accounts.get(id);
    if (account === undefined) {
      if (this.#accounts.size >= REMEMBERED_MAX) this.#forgetQuiet();
      account = { inFlight: 0, tokens: this.limits.newKeysPerMinute, filledAtMs: nowMs };
      this.#accounts.set(id, account);
    }
    const earned = ((nowMs - account.filledAtMs) / 60_000) * this.limits.newKeysPerMinute;
    account.tokens = Math.min(this.limits.newKeysPerMinute, account.tokens + earned);
    account.filledAtMs = nowMs;
    return account;
  }

  #forgetQuiet(): void {
    for (const [id, { inFlight }] of this.#accounts) if (inFlight === 0) this.#accounts.delete(id);
  }
}
