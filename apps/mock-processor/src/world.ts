import type { Clock } from '#seams/clock.js';
import type { Random } from '#seams/random.js';
import type { Book } from './book.js';
import type { Faults } from './faults.js';
import { newId } from './ids.js';
import type { Change, Entry, EventFacts, Movement, Thing } from './state.js';

/** What every request may touch. */
export type World = {
  book: Book;
  faults: Faults;
  random: Random;
  clock: Clock;
};

/** The mock's own clock: the wall's, moved forward by `POST /_control/clock`, never backward. */
export function nowMs(world: World): number {
  const { state } = world.book;
  return Math.max(state.lastMs, world.clock.wallMs() + state.advancedMs);
}

/** One request's effect while it is being worked out. Thrown away whole if the request is refused. */
export class Draft {
  readonly at: number;
  readonly #changes: Change[] = [];
  readonly #things = new Map<string, Thing>();
  readonly #movements: Omit<Movement, 'seq' | 'at'>[] = [];

  constructor(
    private readonly world: World,
    private readonly cause: { requestId: string | null; idempotencyKey: string | null },
  ) {
    this.at = nowMs(world);
  }

  id(prefix: string): string {
    return newId(this.world.random, prefix);
  }

  put<T extends Thing>(thing: T): T {
    this.#changes.push({ put: thing });
    this.#things.set(thing.id, thing);
    return thing;
  }

  /** An object as this request leaves it. */
  readonly find = (id: string): Thing | null =>
    this.#things.get(id) ?? this.world.book.state.things.get(id)?.thing ?? null;

  event(type: string, objectId: string): void {
    const event: EventFacts = { id: this.id('evt'), type, objectId, ...this.cause };
    this.#changes.push({ event });
  }

  move(movement: Omit<Movement, 'seq' | 'at' | 'idempotency_key'>): void {
    this.#movements.push({ idempotency_key: this.cause.idempotencyKey, ...movement });
  }

  entry(): Entry {
    return {
      at: this.at,
      ...(this.#changes.length > 0 && { changes: this.#changes }),
      ...(this.#movements.length > 0 && { movements: this.#movements }),
    };
  }
}
