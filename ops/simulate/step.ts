import type { Session } from './sessions.js';

/** Something that could be done next: a statement, a call, a message, the end of a sleep. */
export type Step = {
  task: Task;
  label: string;
  /** What may become of it. The first is that all goes well; a calm run knows no other. */
  ends: readonly string[];
  /** Not before this virtual instant by itself; whoever takes it earlier lets time pass. Null: at once. */
  dueMs: number | null;
  /** Whether somebody waits for it, or it is only there to be chosen, such as a crash. */
  optional: boolean;
  /** Time does not pass beyond this instant before it is taken: what is on its way is there in the end. */
  byMs: number | null;
  /** The transaction that it works in: what it holds others may be waiting for. */
  session: Session | null;
  /** Tells steps of one label apart that are arrived at together. */
  key: string;
  /** Its place among the steps of its task; 0 until everybody stands. */
  seq: number;
  go: (end: string) => void;
};

/** One line of events: a request, a client, a pass of a worker. Of its process it dies with. */
export class Task {
  isDead = false;
  steps = 0;
  drawn = 0;

  constructor(
    readonly name: string,
    readonly owner: string,
    readonly order: number,
  ) {}
}

export type Standing = {
  key?: string;
  dueMs?: number;
  optional?: boolean;
  byMs?: number;
  session?: Session;
  signal?: AbortSignal;
};

/** Whatever decides: which of the ready steps is next, and what becomes of it. */
export type Chooser = {
  next(ready: readonly Step[], last: Task | null): number;
  end(step: Step): number;
};
