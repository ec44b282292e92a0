/** What the product grows by, in order. What belongs to a later one is printed as "not yet", and fails no run. */
export const MILESTONES = {
  C: 'the proof',
  D: 'settlement and reconciliation',
  E: 'overload',
  F: 'events to merchants',
  G: 'console and labs',
} as const;

export type Since = keyof typeof MILESTONES;

/** The one that the code has reached. */
const REACHED: Since = 'D';

export function isNotYet(since: Since = REACHED): boolean {
  return since > REACHED;
}
