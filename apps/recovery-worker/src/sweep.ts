import type { Clock } from '#seams/clock.js';
import type { Logger } from '#platform/logging.js';

export type SweepPlan = {
  name: string;
  /** One bounded pass. `more`: it stopped at its bound, so the next pass follows at once. */
  runOnce: () => Promise<'more' | 'done'>;
  /** Between passes that found little. */
  pauseMs: number;
  /** Ends a pass that would keep a stop waiting. */
  interrupt?: () => void;
};

/** A pass that failed is followed by a longer pause, so that an outage is not a storm. */
const PAUSE_AFTER_FAILURE_MS = 2_000;

/** The loop around a sweep: it decides nothing, runs one pass at a time, and stops between two. */
export class Sweep {
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly plan: SweepPlan,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.#running = this.#loop();
  }

  /** Lets the running pass end. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.plan.interrupt?.();
    await this.#running;
  }

  async #loop(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const pauseMs = await this.#pass();
      if (pauseMs > 0) await this.clock.sleep(pauseMs, this.#stop.signal);
    }
  }

  async #pass(): Promise<number> {
    try {
      return (await this.plan.runOnce()) === 'more' ? 0 : this.plan.pauseMs;
    } catch (error) {
      this.log.warning('sweep_failed', { sweep: this.plan.name, error: String(error) });
      return Math.max(this.plan.pauseMs, PAUSE_AFTER_FAILURE_MS);
    }
  }
}
