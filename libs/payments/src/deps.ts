import type { Background } from './background.js';
import type { Db } from '#postgres/db.js';
import type { Processor } from '#processor/processor.js';
import type { Clock } from '#seams/clock.js';
import type { Random } from '#seams/random.js';

/** The durations and limits that the core works by, all from the configuration. */
export type Terms = {
  leaseMs: number;
  processorTimeoutMs: number;
  /** "Not found" proves nothing before this much time has passed since the last send. */
  visibilityWindowMs: number;
  /** How long the processor remembers a key; nobody sends after half of it. 0: it keeps none. */
  processorKeyWindowMs: number;
  answersDays: number;
  recoveryTriesMax: number;
  /** What becomes of money that came late: a person decides, or it is given back. */
  lateSuccessPolicy: 'review' | 'refund';
};

/** Where the core says what people should know. `critical` wakes somebody. */
export type Log = {
  info(event: string, facts: Record<string, unknown>): void;
  warning(event: string, facts: Record<string, unknown>): void;
  critical(event: string, facts: Record<string, unknown>): void;
};

/** This process, as others see it. Without its registration nothing is sent: others may take its work over. */
export type Registration = { readonly id: number; registered(withinMs: number): Promise<boolean> };

/** All that taking a payment needs. Each phase declares the part of it that it may touch. */
export type Deps = {
  db: Db;
  processor: Processor;
  clock: Clock;
  random: Random;
  terms: Terms;
  log: Log;
  instance: Registration;
  /** For work that outlives the answer to its caller. */
  background: Background;
};
