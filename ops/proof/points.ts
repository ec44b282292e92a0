import type { FailpointName } from '#seams/failpoints.js';
import type { Since } from './milestones.js';

export type Point = {
  /** Where a process stands when it passes it. */
  where: string;
  passedBy: 'API' | 'worker' | 'API and worker' | 'reconciliation';
};

/** Every failpoint that the code has; the type holds that none is missing. */
export const POINTS: Record<FailpointName, Point> = {
  c1: { where: 'request read, nothing written', passedBy: 'API' },
  c2: { where: 'claim on its way', passedBy: 'API' },
  c3: { where: 'claim committed, with the payment', passedBy: 'API' },
  c5: { where: 'call to the processor written', passedBy: 'API and worker' },
  c6: { where: 'its answer in, not parsed', passedBy: 'API and worker' },
  c7: { where: 'before the record step', passedBy: 'API and worker' },
  c12: { where: 'record step on its way', passedBy: 'API and worker' },
  c13: { where: 'record step committed, nobody answered', passedBy: 'API and worker' },
  c14: { where: 'half of the HTTP answer written', passedBy: 'API' },
  w1: { where: 'event verified, not stored', passedBy: 'API' },
  w2: { where: 'event stored, its sender not told', passedBy: 'API' },
  w3: { where: 'event taken by a worker', passedBy: 'worker' },
  w4: { where: 'its payment locked, inside the transaction', passedBy: 'worker' },
  w5: { where: 'event applied, not marked so', passedBy: 'worker' },
  x1: { where: 'abandoned work found', passedBy: 'worker' },
  x2: { where: 'its lease taken over', passedBy: 'worker' },
  s1: { where: 'settlement report fetched', passedBy: 'reconciliation' },
  s2: { where: 'its lines copied, not committed', passedBy: 'reconciliation' },
  s3: { where: 'compared, no break written', passedBy: 'reconciliation' },
  s4: { where: 'breaks written, no payout booked', passedBy: 'reconciliation' },
};

/** Those that replicas of API and worker pass; the rest are passed by a job that ends. */
export const REPLICA_POINTS = Object.fromEntries(
  Object.entries(POINTS).filter(([, { passedBy }]) => passedBy !== 'reconciliation'),
);

/** Points that are named and not there yet. */
export const LATER_POINTS: Record<string, { where: string; since: Since }> = {
  o1: { where: 'outgoing event claimed', since: 'F' },
  o2: { where: 'delivered, not marked so', since: 'F' },
  o3: { where: 'marked as delivered', since: 'F' },
};

export const ACTIONS = ['kill', 'term', 'stop', 'throw', 'delay', 'block'] as const;
