import { setTimeout as pause } from 'node:timers/promises';
import { DATABASE_FAULTS } from './database-faults.js';
import { PROCESS_FAULTS } from './process-faults.js';
import { PROCESSOR_FAULTS } from './processor-faults.js';
import { Choices } from './random.js';
import type { World } from './world.js';

export type Strike = { world: World; choices: Choices; seen: readonly string[] };
export type Fault = {
  /** As `--only` names it. */
  name: string;
  /** Between two of it, on the average, at the rate of 1. */
  gapMs: number;
  /** Does it, and resolves when it is over. */
  strike: (strike: Strike) => Promise<void>;
};

export const FAULTS: readonly Fault[] = [
  ...PROCESS_FAULTS,
  ...DATABASE_FAULTS,
  ...PROCESSOR_FAULTS,
];

/** Which faults a seed has, and how often each comes: another mix for each, since all at once hide each other. */
export type Mix = { fault: Fault; rate: number; burst: number }[];

export function drawMix(seed: number, only: readonly string[] = []): Mix {
  const choices = new Choices(seed, 'mix');
  const drawn = FAULTS.map((fault) => ({
    fault,
    isIn: choices.happens(0.55),
    rate: choices.of([0.5, 1, 1, 2]),
    burst: choices.happens(0.3) ? choices.between(2, 4) : 1,
  }));
  const named = drawn.filter(({ fault }) => only.includes(fault.name));
  const mix = named.length > 0 ? named : drawn.filter(({ isIn }) => isIn);
  return mix.length > 0 ? mix : drawn;
}

/** Lets each fault of the mix come at its own moments until it is told to stop, alone or in bursts. */
export class Nemesis {
  readonly #over = new AbortController();
  readonly #loops: Promise<void>[];

  constructor(
    private readonly world: World,
    { seed, mix, seen }: { seed: number; mix: Mix; seen: readonly string[] },
  ) {
    this.#loops = mix.map(async (one) => {
      // A stream of its own: without this fault the others would still come when they come.
      const strike = { world, choices: new Choices(seed, one.fault.name), seen };
      while (!this.#over.signal.aborted) await this.#wave(one, strike);
    });
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#loops);
  }

  async #wave({ fault, rate, burst }: Mix[number], strike: Strike): Promise<void> {
    const gapMs = strike.choices.gapMs((fault.gapMs * burst) / rate);
    const { signal } = this.#over;
    await pause(gapMs, undefined, { signal }).catch(() => {});
    for (let n = 0; n < burst && !signal.aborted; n++) {
      await fault.strike(strike);
      this.world.journal.count(`faults ${fault.name}`);
    }
  }
}
