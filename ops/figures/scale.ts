/** How much of everything is measured. */
export type Scale = {
  connections: number;
  /** Of each row of payments, after the warm-up. */
  seconds: number;
  warmupMs: number;
  /** Requests over which round trips are counted. */
  counted: number;
  events: number;
  eventsPerSecond: number;
  crashes: number;
  inFlight: number;
  backlog: number;
  finishedKeys: number;
  behindMark: number;
  passes: number;
};

export const FULL: Scale = {
  connections: 32,
  seconds: 10,
  warmupMs: 3_000,
  counted: 500,
  events: 2_000,
  eventsPerSecond: 100,
  crashes: 5,
  inFlight: 100,
  backlog: 10_000,
  finishedKeys: 1_000_000,
  behindMark: 20_000,
  passes: 300,
};

/** To see that the command works; its numbers mean nothing. */
export const QUICK: Scale = {
  connections: 8,
  seconds: 1,
  warmupMs: 500,
  counted: 50,
  events: 100,
  eventsPerSecond: 100,
  crashes: 1,
  inFlight: 20,
  backlog: 300,
  finishedKeys: 20_000,
  behindMark: 1_000,
  passes: 20,
};
