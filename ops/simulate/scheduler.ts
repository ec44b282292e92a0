import type { Session } from './sessions.js';
import { type Chooser, type Standing, type Step, Task } from './step.js';
import type { Trace } from './trace.js';

/** An answer of the server that is on its way. */
type Flight = { task: Task; session: Session | null; isDone: boolean; isBlocked: boolean };

/** Asks the server which sessions each of these waits for. */
export type Probe = (pids: number[]) => Promise<Map<number, number[]>>;

/** How long an answer may take before the server is asked why. Decides nothing: only when the question is put. */
const PROBE_AFTER_MS = 2;

/** No honest answer takes so many of them. */
const PROBES_MAX = 3_000;

/**
 * Runs all actors one step at a time. After a step it waits until every live task stands at its next step, has
 * ended, or waits inside the server for a lock of a session that stands; only then does it choose again. No clock
 * but the virtual one has a say.
 */
export class Scheduler {
  nowMs: number;
  last: Task | null = null;
  readonly parked: Step[] = [];
  readonly #flights = new Set<Flight>();
  readonly #holders = new Map<number, Set<number>>();
  readonly #live = new Set<Task>();
  #woken: () => void = () => {};
  #tasks = 0;
  #failure: unknown = null;

  constructor(
    startMs: number,
    readonly trace: Trace,
    private readonly probe: Probe,
    private readonly timeMoved: (nowMs: number) => Promise<void>,
  ) {
    this.nowMs = startMs;
  }

  /** Starts a line of events. What it throws is a bug of the simulation, and ends the run. */
  spawn(name: string, owner: string, work: (task: Task) => Promise<void>): Task {
    const task = new Task(name, owner, (this.#tasks += 1));
    this.#live.add(task);
    const leave = () => this.#live.delete(task);
    work(task).then(leave, (error: unknown) => {
      leave();
      this.#failure ??= error;
    });
    return task;
  }

  /** Stands at a step until it is chosen; resolves with what became of it. */
  stand(
    task: Task,
    label: string,
    ends: readonly string[] = ['ok'],
    more: Standing = {},
  ): Promise<string> {
    return new Promise((resolve) => {
      if (task.isDead) return;
      const { dueMs = null, optional = false, byMs = null, session = null } = more;
      const { signal, key = '' } = more;
      const step = {
        task,
        label,
        ends,
        dueMs,
        optional,
        byMs,
        session,
        key,
        seq: 0,
        go: resolve,
      };
      if (signal?.aborted) return resolve('ok');
      this.parked.push(step);
      signal?.addEventListener('abort', () => this.#leave(step), { once: true });
    });
  }

  sleep(task: Task, ms: number, signal?: AbortSignal): Promise<string> {
    const dueMs = this.nowMs + Math.max(0, Math.ceil(ms));
    return this.stand(task, 'wakes', ['ok'], signal ? { dueMs, signal } : { dueMs });
  }

  /** Real work that a step stands for. The result of a task that has died meanwhile reaches nobody. */
  async perform<T>(task: Task, session: Session | null, work: () => Promise<T>): Promise<T> {
    if (task.isDead) return never(); // it heard something that was on its way when it died
    const flight: Flight = { task, session, isDone: false, isBlocked: false };
    this.#flights.add(flight);
    const land = () => {
      flight.isDone = true;
      this.#flights.delete(flight);
      this.#woken();
    };
    return unlessDead(task, work().finally(land));
  }

  /** The tasks of this owner stop where they stand, for ever. */
  kill(owner: string): void {
    for (const task of this.#live) {
      if (task.owner !== owner) continue;
      task.isDead = true;
      this.#live.delete(task);
    }
    for (const step of this.parked.filter(({ task }) => task.isDead)) this.#drop(step);
  }

  /**
   * Waits until everybody stands; then chooses one step and takes it. False when there is nothing to do, or,
   * with `now`, nothing before some time has passed.
   */
  async turn(chooser: Chooser, now = false): Promise<boolean> {
    await this.settle();
    const ready = this.#ready();
    const [first] = ready;
    if (first === undefined || first.optional) return false;
    if (now && this.#isLater(first) && !this.#isAnybodyBlocked) return false;
    const step = this.#beforeIt(ready[chooser.next(ready, this.last) % ready.length] as Step);
    const end = step.ends[chooser.end(step) % step.ends.length] as string;
    this.#drop(step);
    this.trace.add(Math.max(this.nowMs, step.dueMs ?? 0), step.task.name, step.label, end);
    for (const flight of this.#flights) flight.isBlocked = false;
    if (step.dueMs !== null && this.#isLater(step)) {
      await this.moveTime(step.dueMs);
      await this.settle(); // what the server has ended by then may have let others go on
      for (const flight of this.#flights) flight.isBlocked = false;
    }
    this.last = step.task;
    step.go(end);
    return true;
  }

  /** What has to happen before time has come so far. */
  #beforeIt(step: Step): Step {
    const until = step.dueMs ?? this.nowMs;
    const missed = this.parked.filter(({ byMs }) => byMs !== null && byMs < until);
    missed.sort((a, b) => (a.byMs ?? 0) - (b.byMs ?? 0) || a.task.order - b.task.order);
    return missed[0] ?? step;
  }

  /** How far time may pass without anybody doing anything. */
  get latestMs(): number {
    return Math.min(...this.parked.map(({ byMs }) => byMs ?? Infinity));
  }

  get #isAnybodyBlocked(): boolean {
    return [...this.#flights].some(({ isBlocked }) => isBlocked);
  }

  #isLater({ dueMs }: Step): boolean {
    return dueMs !== null && dueMs > this.nowMs;
  }

  /** Whether something is on its way that nobody can call back. */
  get isUnderWay(): boolean {
    return this.parked.some(({ byMs }) => byMs !== null);
  }

  /** When the first of those who sleep wakes. */
  nextDueMs(): number | null {
    const due = this.parked.flatMap(({ dueMs, optional }) =>
      dueMs === null || optional ? [] : [dueMs],
    );
    return due.length === 0 ? null : Math.min(...due);
  }

  async moveTime(nowMs: number): Promise<void> {
    this.nowMs = nowMs;
    await this.timeMoved(nowMs);
  }

  /** Resolves when nobody moves any more. */
  async settle(): Promise<void> {
    for (let probes = 0; ;) {
      await macrotask();
      if (this.#failure !== null) throw this.#failure;
      const moving = [...this.#flights].filter(({ isBlocked }) => !isBlocked);
      if (moving.length === 0) return this.#number();
      const woken = new Promise<boolean>((resolve) => (this.#woken = () => resolve(true)));
      if (await within(PROBE_AFTER_MS, woken)) continue;
      await this.#findBlocked();
      probes += 1;
      if (probes > PROBES_MAX) throw new Error(this.#standstill(moving));
    }
  }

  #standstill(moving: Flight[]): string {
    const who = moving.map(({ task, session }) => `${task.name} (${session?.pid ?? 'no session'})`);
    const holders = [...this.#holders].map(
      ([pid, others]) => `${pid} waits for ${[...others].join(', ')}`,
    );
    return `Bug: ${who.join(', ')} never comes to rest; ${holders.join('; ')}`;
  }

  /** Where one task does several things at once, two of them may have arrived in any order: by what they are. */
  #number(): void {
    const rank = ({ label, key }: Step) => `${label} ${key}`;
    const fresh = this.parked.filter(({ seq }) => seq === 0);
    fresh.sort((a, b) => a.task.order - b.task.order || (rank(a) < rank(b) ? -1 : 1));
    for (const step of fresh) step.seq = step.task.steps += 1;
  }

  /**
   * Marks those that wait for a lock which somebody who stands holds: they will not move until that one does.
   * Whoever waits for a session that is itself on its way is on its way too.
   */
  async #findBlocked(): Promise<void> {
    const waiting = [...this.#flights].filter(({ session }) => session !== null);
    const blockers = await this.probe(waiting.map(({ session }) => session?.pid ?? 0));
    const open = new Map(waiting.filter(({ isDone }) => !isDone).map((f) => [f.session?.pid, f]));
    this.#holders.clear();
    const stands = (pid: number, seen: Set<number>): boolean => {
      if (!open.has(pid)) return true;
      const next = blockers.get(pid) ?? [];
      if (seen.has(pid) || next.length === 0) return false;
      return next.every((blocker) => stands(blocker, new Set([...seen, pid])));
    };
    for (const [pid = 0, flight] of open) {
      const next = blockers.get(pid) ?? [];
      flight.isBlocked = next.length > 0 && stands(pid, new Set());
      if (flight.isBlocked) this.#holders.set(pid, new Set(next));
    }
  }

  /**
   * The steps that may be next: the last task's own first, then by the age of their tasks, then what lies in the
   * future by its time, and last what nobody waits for. While somebody waits for a lock, only its holders.
   */
  #ready(): Step[] {
    const rank = (step: Step) =>
      step.optional ? 3 : this.#isLater(step) ? 2 : step.task === this.last ? 0 : 1;
    const holding = this.#holdersOfLocks();
    const free = holding
      ? this.parked.filter(({ session }) => session && holding.has(session))
      : [];
    const steps = free.length > 0 ? free : [...this.parked];
    return steps.sort(
      (a, b) =>
        rank(a) - rank(b) ||
        (rank(a) === 2 ? (a.dueMs ?? 0) - (b.dueMs ?? 0) : 0) ||
        a.task.order - b.task.order ||
        a.seq - b.seq,
    );
  }

  #holdersOfLocks(): Set<Session> | null {
    if (!this.#isAnybodyBlocked) return null;
    const blocked = [...this.#flights].filter(({ isBlocked }) => isBlocked);
    const pids = new Set(
      blocked.flatMap(({ session }) => [...(this.#holders.get(session?.pid ?? 0) ?? [])]),
    );
    const sessions = this.parked
      .map(({ session }) => session)
      .filter((session) => session !== null);
    return new Set(sessions.filter(({ pid }) => pids.has(pid)));
  }

  #leave(step: Step): void {
    if (!this.parked.includes(step)) return;
    this.#drop(step);
    step.go('ok');
  }

  #drop(step: Step): void {
    const at = this.parked.indexOf(step);
    if (at >= 0) this.parked.splice(at, 1);
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}

async function unlessDead<T>(task: Task, work: Promise<T>): Promise<T> {
  try {
    const value = await work;
    return task.isDead ? never() : value;
  } catch (error) {
    if (task.isDead) return never();
    throw error;
  }
}

/** All microtasks have run, and what they had put off to the next turn. */
function macrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function within(ms: number, event: Promise<boolean>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void event.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
