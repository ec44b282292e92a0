import type { Capture, Scope } from './state.js';

type Facts = { invariant: string; faults: number; capture?: Capture; what: string };

/**
 * Errors of design that somebody could make in good faith, each with the invariant that must find it and the
 * faults that it takes, with two clients and a worker. The search is worth as much as what it finds: each of these
 * makes it red, and without one it is green.
 */
export const DESIGN_ERRORS = {
  fresh_key: {
    invariant: 'I1',
    faults: 1,
    what: 'each attempt has a processor key of its own',
  },
  no_send_limit: {
    invariant: 'I1',
    faults: 1,
    what: 'a re-send has no limit, also when the processor may have forgotten the key',
  },
  whole_window: {
    invariant: 'I1',
    faults: 1,
    what: 'the limit is the whole of the processor’s key window, so a slow write comes too late',
  },
  no_claim: {
    invariant: 'I5',
    faults: 0,
    what: 'the key is looked up and then inserted, without a rule that lets one through',
  },
  record_without_compare: {
    invariant: 'I5',
    faults: 1,
    what: 'the record step asks neither for the lease token nor for the payment’s status',
  },
  timeout_is_failed: {
    invariant: 'I16',
    faults: 1,
    what: 'a timeout or a 5xx is recorded as failed',
  },
  not_found_is_proof: {
    invariant: 'I16',
    faults: 1,
    what: 'a look-up that finds nothing proves that nothing was charged',
  },
  no_visibility_window: {
    invariant: 'I16',
    faults: 1,
    what: 'a kept error and an empty look-up are proof at once',
  },
  open_is_not_unknown: {
    invariant: 'I16',
    faults: 1,
    what: 'an attempt without an outcome does not count as unknown',
  },
  refusal_settles: {
    invariant: 'I16',
    faults: 2,
    what: 'what a re-send was told settles the payment, whatever was unknown before',
  },
  recovery_fails_it: {
    invariant: 'I16',
    faults: 1,
    what: 'recovery marks what has expired as failed, without asking',
  },
  cancel_without_compare: {
    invariant: 'I16',
    faults: 1,
    what: 'a cancel does not ask whether something may have been sent',
  },
  news_is_believed: {
    invariant: 'I4',
    faults: 2,
    capture: 'manual', // only a void gives money back
    what: 'news of money is believed without reading it back',
  },
  released_is_swept: {
    invariant: 'P7',
    faults: 1,
    what: 'a sweep sends what was released to its caller',
  },
  answer_from_memory: {
    invariant: 'I10',
    faults: 1,
    what: 'a final answer is given before its commit is confirmed',
  },
  lost_commit_is_rollback: {
    invariant: 'I10',
    faults: 1,
    what: 'an error on COMMIT is taken for a rollback: the caller hears “not charged”',
  },
  no_recovery: {
    invariant: 'L1',
    faults: 0,
    what: 'nobody comes back to what was left',
  },
} as const satisfies Record<string, Facts>;

export type DesignError = keyof typeof DESIGN_ERRORS;

/** Where the error must be found: two clients, a worker, and no more faults than it takes. */
export function scopeOf(error: DesignError): Scope {
  const { faults, capture = 'automatic' }: Facts = DESIGN_ERRORS[error];
  return { clients: 2, workers: 1, faults, capture };
}
