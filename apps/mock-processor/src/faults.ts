/** What can go wrong with a request. `slow` carries its milliseconds. */
export type Fault = { kind: FaultKind; ms: number };
export type FaultKind = (typeof FAULT_KINDS)[number] | 'slow';

export const FAULT_KINDS = [
  'lose_request', // the connection breaks before any work
  'lose_response', // the work is done, then the connection breaks
  'timeout_charged', // the work is done, the answer never comes
  'timeout_not_charged', // no work, no answer
  'error_charged', // the work is done, the answer is a 500 that is kept
  'error_not_charged', // no work, and a 500 that is kept
  'garbage', // the work is done, the answer is no JSON
  'busy', // 429 before any work, not kept
  'down', // 503, no work, not kept
] as const;

export const BEFORE_WORK: readonly FaultKind[] = ['lose_request', 'timeout_not_charged', 'down'];
export const AFTER_WORK: readonly FaultKind[] = ['lose_response', 'timeout_charged', 'garbage'];
export const INSTEAD_OF_ANSWER: readonly FaultKind[] = ['error_charged', 'error_not_charged'];

export const MODES = [
  'normal',
  'pin_5xx',
  'forget_non_2xx',
  'running_409',
  'running_422',
  'running_429',
  'limiter_before_keys',
  'forget_after_ttl',
  'current_state_replay',
  'no_keys',
  'not_found_window',
  'stored_io_error',
] as const;
export type Mode = (typeof MODES)[number];

export type FaultSettings = {
  /** Hits every request to `/v1`, not only the first send of a key. */
  fault: Fault | null;
  /** How many requests it still hits; null for all. */
  times: number | null;
  mode: Mode;
  /** How long a key is kept under `forget_after_ttl`. */
  ttlMs: number;
  /** How long a new object stays unseen under `not_found_window`. */
  windowMs: number;
};

const SLOW_MS_MAX = 600_000;

export const NO_FAULTS: Readonly<FaultSettings> = {
  fault: null,
  times: null,
  mode: 'normal',
  ttlMs: 3_600_000,
  windowMs: 5_000,
};

/** The settings of `PUT /_control/faults`. They are not in the book: a restart begins without faults. */
export class Faults {
  settings: FaultSettings = { ...NO_FAULTS };
  /** Keys that the limiter of `limiter_before_keys` has answered once. */
  readonly limited = new Set<string>();

  get mode(): Mode {
    return this.settings.mode;
  }

  set(settings: FaultSettings): void {
    this.settings = settings;
    this.limited.clear();
  }

  /** The fault that would hit a request now, if it is one of these kinds. */
  pending(kinds: readonly FaultKind[]): Fault | null {
    const { fault, times } = this.settings;
    return fault && times !== 0 && kinds.includes(fault.kind) ? fault : null;
  }

  /** The same, and counts it as a hit. */
  take(kinds: readonly FaultKind[]): Fault | null {
    const fault = this.pending(kinds);
    if (fault && this.settings.times !== null) this.settings.times -= 1;
    return fault;
  }
}

export function isOneOf(fault: Fault, kinds: readonly FaultKind[]): boolean {
  return kinds.includes(fault.kind);
}

/** Reads the part of a test method's name behind `pm_test_`. */
export function asFault(name: string): Fault | null {
  const kind = FAULT_KINDS.find((candidate) => candidate === name);
  if (kind) return { kind, ms: 0 };
  const ms = /^slow_(\d{1,9})$/.exec(name)?.[1];
  return ms === undefined ? null : { kind: 'slow', ms: Math.min(Number(ms), SLOW_MS_MAX) };
}

export function faultName(fault: Fault | null): string | null {
  return fault && (fault.kind === 'slow' ? `slow_${fault.ms}` : fault.kind);
}
