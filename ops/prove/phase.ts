import type { World } from './world.js';

/** What a phase works with: one world for all of them, and how much of it is wanted. */
export type Terms = {
  seed: number;
  world: () => Promise<World>;
  /** One line for people, with the seconds that have passed. */
  say: (line: string) => void;
  /** Fault kinds that were asked for; empty for all. */
  only: readonly string[];
  /** For the phases that can be long. */
  seconds: number;
  /** Aborts at Ctrl-C. */
  stopping: AbortSignal;
  /** How much of each phase: a taste for the tests, the gate's, or a long run's. */
  scale: Scale;
};

export type Scale = {
  /** Compares the books after each phase, or once for all. */
  judgesEach: boolean;
  apis: number;
  workers: number;
  /** Each failpoint on each path, or only one a path. */
  killsAllPaths: boolean;
  /** How often the list of kills is gone through. */
  killRounds: number;
  restarts: number;
  cuts: number;
  swarmSeconds: number;
  simulations: number;
  badInputs: number;
  bursts: number;
};

export const SCALES = {
  taste: {
    judgesEach: false,
    apis: 1,
    workers: 1,
    killsAllPaths: false,
    killRounds: 1,
    restarts: 1,
    cuts: 20,
    swarmSeconds: 2,
    simulations: 100,
    badInputs: 500,
    bursts: 3,
  },
  ci: {
    judgesEach: true,
    apis: 3,
    workers: 2,
    killsAllPaths: true,
    killRounds: 1,
    restarts: 3,
    cuts: 100,
    swarmSeconds: 30,
    // What fits into the gate's eight minutes; long runs of `simulate` add up to more.
    simulations: 1_000,
    badInputs: 20_000,
    bursts: 100,
  },
  full: {
    judgesEach: true,
    apis: 3,
    workers: 2,
    killsAllPaths: true,
    killRounds: 2,
    restarts: 10,
    cuts: 300,
    swarmSeconds: 240,
    simulations: 2_000,
    badInputs: 20_000,
    bursts: 100,
  },
} as const satisfies Record<string, Scale>;

/** A finding that no book shows: a request that was answered wrongly, a command that failed. */
export type Finding = { invariant: string; says: string; rows: object[] };

export type PhaseResult = {
  /** What was done, in words, for the summary. */
  line: string;
  findings: Finding[];
};

export type Phase = {
  /** As `--only` names it. */
  name: string;
  /** Whether clients and database take part: then the books are compared after it. */
  usesWorld: boolean;
  /** Takes minutes, so that only a full run, or one that names it, has it. */
  isLong?: boolean;
  run: (terms: Terms) => Promise<PhaseResult>;
};
