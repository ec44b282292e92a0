import type { DesignError } from './designs.js';
import type { Scope, State } from './state.js';

/** One thing that may happen next. */
export type Move = {
  /** Which runner does it; null for the world around: time, network, processor, people. */
  runner: number | null;
  what: string;
  /** A caller's own decision, a step that comes by itself, or a fault that is paid for. */
  kind: 'request' | 'step' | 'fault';
  next: State;
};

export type Rules = { scope: Scope; errors: ReadonlySet<DesignError> };

/** A fault leads to its state with one fault less to come. */
export function fault(runner: number | null, what: string, next: State): Move {
  return { runner, what, kind: 'fault', next: { ...next, faultsLeft: next.faultsLeft - 1 } };
}
