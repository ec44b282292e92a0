import { invalid, StripeError } from './errors.js';
import type { FaultSettings, Mode } from './faults.js';
import type { State, StoredAnswer } from './state.js';

export const KEY_KEPT_MS = 24 * 3_600_000;
const KEY_LENGTH_MAX = 255;

export type Keyed = { key: string; path: string; fingerprint: string };

/**
 * Stripe's rules: one key, one answer, status and bytes, server errors included; a key whose first
 * request is still running is a conflict; another endpoint or other parameters are an error; after
 * 24 hours of the mock's own clock a key is new again. The other modes are what other processors do.
 */
export class Idempotency {
  readonly #running = new Map<string, Keyed>();

  constructor(private readonly state: State) {}

  /** The kept answer, or null for a key that is unseen. Throws for a conflict. */
  find(call: Keyed, settings: FaultSettings, atMs: number): StoredAnswer | null {
    const running = this.#running.get(call.key);
    if (running) {
      refuseOther(call, running);
      throw stillRunning(call.key, settings.mode);
    }
    this.#forget(settings, atMs);
    const stored = this.state.answers.get(call.key) ?? null;
    if (stored) refuseOther(call, stored);
    return stored;
  }

  /** Holds the key while its request runs. */
  async run<Result>(call: Keyed | null, work: () => Promise<Result>): Promise<Result> {
    if (!call) return work();
    this.#running.set(call.key, call);
    try {
      return await work();
    } finally {
      this.#running.delete(call.key);
    }
  }

  get runningCount(): number {
    return this.#running.size;
  }

  #forget(settings: FaultSettings, atMs: number): void {
    const keptMs = settings.mode === 'forget_after_ttl' ? settings.ttlMs : KEY_KEPT_MS;
    for (const [key, answer] of this.state.answers) {
      if (atMs - answer.atMs < keptMs) return;
      this.state.answers.delete(key);
    }
  }
}

/** Whether an answer is kept under its key. `done` is false for a 503 that did no work. */
export function isKept(status: number, done: boolean, mode: Mode): boolean {
  if (mode === 'forget_non_2xx') return status >= 200 && status < 300;
  if (mode === 'pin_5xx' && status >= 500) return true;
  return done;
}

export function checkKey(key: string | undefined): string | null {
  if (key === undefined) return null;
  if (key.length > KEY_LENGTH_MAX) {
    throw invalid(`Idempotency keys have at most ${KEY_LENGTH_MAX} characters.`);
  }
  return key === '' ? null : key;
}

function refuseOther(call: Keyed, first: Keyed): void {
  if (call.path === first.path && call.fingerprint === first.fingerprint) return;
  const reason =
    call.path === first.path
      ? 'the same parameters'
      : `the same endpoint (${first.path}, not ${call.path})`;
  throw new StripeError(
    400,
    {
      type: 'idempotency_error',
      message: `Keys for idempotent requests can only be used with ${reason} they were first used with.`,
    },
    { 'stripe-should-retry': 'false' },
  );
}

/** Stripe and most others: 409. Adyen: 422, marked as transient. Checkout.com: 429. */
function stillRunning(key: string, mode: Mode): StripeError {
  const status = mode === 'running_422' ? 422 : mode === 'running_429' ? 429 : 409;
  return new StripeError(
    status,
    {
      type: 'idempotency_error',
      code: 'idempotency_key_in_use',
      message: `There is currently another in-progress request using this Idempotency-Key (${key.slice(0, 40)}).`,
    },
    { 'stripe-should-retry': 'true', ...(status === 422 && { 'transient-error': 'true' }) },
  );
}
