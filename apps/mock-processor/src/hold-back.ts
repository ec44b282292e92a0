import type { Clock } from '#seams/clock.js';
import { shuffled } from './seeded.js';
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
