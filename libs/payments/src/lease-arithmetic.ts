import { SESSION_LIMITS } from '#postgres/pool.js';

/**
 * A run makes one call to the processor, and a look-up after a key mismatch; recovery makes all others,
 * under leases of their own.
 */
export const CALLS_PER_LEASE = 2;

/** Event loop pauses, garbage collection, a slow network: what the sum below cannot know. */
const MARGIN_MS = 3_000;

/**
 * The slowest legitimate run under one lease, in milliseconds. The lease must be longer: a lease that ends
 * under a run that is only slow makes two runs of one intent. (With our derived processor key and the
 * comparing record step that is harmless; it still is a wasted call and a confusing timeline.)
 *
 *   the calls      processor timeout × calls per lease (our account there is asked before the claim)
 *   the record     waiting for a connection and for the statement, twice: it is read back if unconfirmed
 *   the margin
 *
 * With the defaults: 5,000 × 2 + 2 × (2,000 + 6,000) + 3,000 = 29,000, under a lease of 30,000.
 */
export function slowestRunMs(processorTimeoutMs: number): number {
  const recordMs = 2 * (SESSION_LIMITS.connectMs + SESSION_LIMITS.queryMs);
  return processorTimeoutMs * CALLS_PER_LEASE + recordMs + MARGIN_MS;
}

/** Half an hour. Where no keys are kept a takeover is not harmless, and waiting is cheaper than any mistake. */
export const KEYLESS_LEASE_MS = 1_800_000;

/** Whether a re-send under the same key is the same charge. A window of 0 says that no key is kept at all. */
export function keepsKeys({ processorKeyWindowMs }: { processorKeyWindowMs: number }): boolean {
  return processorKeyWindowMs > 0;
}

type Durations = { leaseMs: number; processorTimeoutMs: number; processorKeyWindowMs: number };

/** Null if the lease is long enough, else the sentence with which a process refuses to start. */
export function leaseProblem(durations: Durations): string | null {
  const { leaseMs, processorTimeoutMs } = durations;
  if (!keepsKeys(durations) && leaseMs < KEYLESS_LEASE_MS) {
    return (
      `LEASE_MS is ${leaseMs}, but PROCESSOR_KEY_WINDOW_MS=0 says that the processor keeps no ` +
      `idempotency keys: then LEASE_MS must be at least ${KEYLESS_LEASE_MS}`
    );
  }
  const neededMs = slowestRunMs(processorTimeoutMs);
  if (leaseMs > neededMs) return null;
  return (
    `LEASE_MS is ${leaseMs}, but a run may take ${neededMs} ms ` +
    `(PROCESSOR_TIMEOUT_MS ${processorTimeoutMs} × ${CALLS_PER_LEASE} + record step + margin): ` +
    'raise LEASE_MS or lower PROCESSOR_TIMEOUT_MS'
  );
}
