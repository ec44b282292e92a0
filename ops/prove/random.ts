import { seeded } from '../seeded.js';

/** A stream of choices that one seed always gives in one order. Each actor has a stream of its own. */
export class Choices {
  /** From 0 up to, and without, 1. */
  readonly fraction: () => number;

  /** `name` keeps the streams of one seed apart, so that one actor's choices do not shift another's. */
  constructor(seed: number, name: string) {
    let hash = 2_166_136_261;
    for (const char of `${seed}/${name}`) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619);
    this.fraction = seeded(hash);
  }

  /** A whole number, both ends included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  happens(probability: number): boolean {
    return this.fraction() < probability;
  }

  of<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.fraction() * items.length)];
    if (item === undefined) throw new Error('Nothing to choose from');
    return item;
  }

  /** A pause whose mean is this, as independent events have them: many short ones, some long. */
  gapMs(meanMs: number): number {
    return Math.min(-Math.log(1 - this.fraction()) * meanMs, meanMs * 5);
  }
}
