import type { Chooser, Step, Task } from './step.js';
import { Stream } from './stream.js';

/** Runs everybody on, and nothing goes wrong. */
export const CALM: Chooser = { next: () => 0, end: () => 0 };

/** A list of choices, one after the other; when it has ended, calm. */
export class Listed implements Chooser {
  #at = 0;

  constructor(private readonly choices: readonly number[]) {}

  next(): number {
    return this.#take();
  }

  end({ ends }: Step): number {
    return ends.length > 1 ? this.#take() : 0;
  }

  #take(): number {
    const choice = this.choices[this.#at] ?? 0;
    this.#at += 1;
    return choice;
  }
}

/** Writes down what another one chooses: the list repeats the run. */
export class Recording implements Chooser {
  readonly choices: number[] = [];
  /** Among how many it chose each time. */
  readonly arities: number[] = [];

  constructor(private readonly inner: Chooser) {}

  next(ready: readonly Step[], last: Task | null): number {
    const choice = this.inner.next(ready, last);
    this.#note(choice, ready.length);
    return choice;
  }

  end(step: Step): number {
    const choice = this.inner.end(step);
    if (step.ends.length > 1) this.#note(choice, step.ends.length);
    return choice;
  }

  #note(choice: number, arity: number): void {
    this.choices.push(choice);
    this.arities.push(arity);
  }
}

/** How this seed goes about it. */
type Mood = {
  /** How readily another is put in front of whoever is running. */
  preempts: number;
  /** How readily time passes although somebody could run. */
  hurries: number;
  /** How readily something that nobody waits for happens: a pass, a crash, a jump of the clock. */
  meddles: number;
  /** How often a step with this end is given it; absent ones never happen in this run. */
  faults: Map<string, number>;
  /** Decisions between which faults come thick. */
  burst: [from: number, to: number];
};

/**
 * Each seed is another mix: which faults exist and how often, how often the running actor is interrupted. Most
 * seeds interrupt rarely, since few switches at the right moments find more than many anywhere.
 */
export class Swarm implements Chooser {
  readonly #schedule: Stream;
  readonly #faults: Stream;
  readonly #mood: Mood;
  #decisions = 0;

  constructor(seed: string, ends: readonly string[]) {
    this.#schedule = new Stream(`${seed}/schedule`);
    this.#faults = new Stream(`${seed}/faults`);
    this.#mood = moodOf(new Stream(`${seed}/mood`), ends);
  }

  next(ready: readonly Step[]): number {
    this.#decisions += 1;
    const stream = this.#schedule;
    const { preempts, hurries, meddles } = this.#mood;
    const at = (wanted: (step: Step) => boolean) =>
      ready.flatMap((step, index) => (wanted(step) ? [index] : []));
    const optional = at((step) => step.optional);
    if (optional.length > 0 && stream.chance(meddles)) return stream.pick(optional);
    const later = at((step) => !step.optional && step.dueMs !== null);
    if (later.length > 0 && stream.chance(hurries)) return stream.pick(later);
    const now = at((step) => !step.optional && step.dueMs === null);
    return now.length > 1 && stream.chance(preempts) ? stream.pick(now) : 0;
  }

  end({ ends, optional }: Step): number {
    const stream = this.#faults;
    if (optional) return stream.below(ends.length); // it is none of those that go well
    const [from, to] = this.#mood.burst;
    const factor = this.#decisions >= from && this.#decisions < to ? 8 : 1;
    for (let index = 1; index < ends.length; index += 1) {
      const rate = this.#mood.faults.get(ends[index] ?? '') ?? 0;
      if (rate > 0 && stream.chance(Math.min(0.7, rate * factor))) return index;
    }
    return 0;
  }
}

function moodOf(stream: Stream, ends: readonly string[]): Mood {
  const rate = stream.pick([0.01, 0.03, 0.08]);
  const share = stream.pick([0.2, 0.5, 0.8]);
  const faults = new Map<string, number>();
  for (const end of ends) if (stream.chance(share)) faults.set(end, rate);
  const from = stream.below(120);
  return {
    preempts: stream.pick([0.02, 0.05, 0.15, 0.5]),
    hurries: stream.pick([0, 0.01, 0.03]),
    meddles: stream.pick([0.03, 0.08, 0.15]),
    faults,
    burst: stream.chance(0.4) ? [from, from + 5 + stream.below(30)] : [0, 0],
  };
}
