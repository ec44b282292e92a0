import type { Clock } from '#seams/clock.js';

/** What takes less needs no word. */
const SILENT_MS = 2_000;
const PAUSE_MS = 1_000;

/** Says on standard error how far a long run is, once a second. */
export class Progress {
  readonly #startedMs: number;
  #toldMs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly say: (text: string) => void,
  ) {
    this.#startedMs = clock.monotonicMs();
  }

  tell(doing: string, done: number): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.#startedMs < SILENT_MS || nowMs - this.#toldMs < PAUSE_MS) return;
    this.#toldMs = nowMs;
    this.say(`${doing}: ${done.toLocaleString('en')}${UNITS[doing] ?? ''}\n`);
  }
}

const UNITS: Record<string, string> = {
  Reading: ' lines',
  Repairing: ' lines',
  Comparing: ' of 12 steps',
};
