import type { Clock } from '#seams/clock.js';
import type { WebhookSettings } from './webhook-settings.js';

export const WINDOW_EVENTS = 16;
export const WINDOW_MS = 300;

/** Holds events back for a moment, to let them go in another order than they came in. */
export class HoldBack {
  #held: string[] = [];
  #windows = 0;

  constructor(
    private readonly clock: Clock,
    private readonly stopped: AbortSignal,
    private readonly release: (eventIds: string[]) => void,
  ) {}

  add(eventId: string, settings: WebhookSettings): void {
    this.#held.push(eventId);
    if (this.#held.length === WINDOW_EVENTS) return this.flush(settings);
    if (this.#held.length > 1) return;
    const window = this.#windows;
    void this.clock.sleep(WINDOW_MS, this.stopped).then(() => {
      if (window === this.#windows) this.flush(settings);
    });
  }

  flush(settings: WebhookSettings): void {
    const held = this.#held;
    this.#held = [];
    this.#windows += 1;
    if (held.length === 0) return;
    this.release(settings.order === 'reversed' ? held.reverse() : shuffled(held, settings.seed));
  }
}

/** The same order for the same seed and number of items. */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const next = generator(seed);
  const ranked = items.map((item) => ({ item, rank: next() }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ item }) => item);
}

/** Numbers in [0, 2^32) that follow from the seed alone (splitmix32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
}
