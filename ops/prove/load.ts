import { setTimeout as pause } from 'node:timers/promises';
import { live } from './lives.js';
import { Choices } from './random.js';
import type { World } from './world.js';

/** Clients that live one intent after the other until they are told to stop. */
export class Load {
  /** Payments that the processor's own events can happen to. */
  readonly seen: string[] = [];
  started = 0;
  ended = 0;
  readonly #over = new AbortController();
  readonly #clients: Promise<void>[];

  constructor(
    private readonly world: World,
    private readonly options: { seed: number; clients: number; name: string; pauseMs?: number },
  ) {
    const { clients } = options;
    this.#clients = Array.from({ length: clients }, (_, number) => this.#keepLiving(number));
  }

  /** Resolves when every client has ended the intent that it was at. */
  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#clients);
  }

  async #keepLiving(number: number): Promise<void> {
    const { seed, name, pauseMs = 60 } = this.options;
    const client = this.world.client(`${name}-${number}`);
    const choices = new Choices(seed, `client ${name} ${number}`);
    for (let n = 0; !this.#over.signal.aborted; n++) {
      this.started += 1;
      await live(
        { world: this.world, client, choices, seen: this.seen },
        `${name}-${seed}-${number}-${n}`,
      );
      this.ended += 1;
      this.world.journal.count('intents');
      await pause(choices.gapMs(pauseMs));
    }
  }
}

/** Moves the clocks while work is going on, faster than life: what a dead process held is not waited for. */
export async function whileTimeFlies<Value>(world: World, work: () => Promise<Value>) {
  let isOver = false;
  const fly = async () => {
    while (!isOver) {
      await world.advance(ADVANCE_MS);
      await pause(EVERY_MS);
    }
  };
  const flying = fly().then(
    () => null,
    (error: unknown) => error as Error,
  );
  try {
    return await work();
  } finally {
    isOver = true;
    const error = await flying;
    if (error) world.journal.note('clock stood still', 'clock', error.message);
  }
}

const EVERY_MS = 400;
const ADVANCE_MS = 1_200;
