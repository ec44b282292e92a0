import type { Clock } from '#seams/clock.js';
import type { Random } from '#seams/random.js';
import type { Book } from './book.js';
import type { Faults } from './faults.js';
import { feeFor, type FeeCategory } from './fee.js';
import { newId } from './ids.js';
import type { Change, Entry, EventFacts, Movement, Thing } from './state.js';
import type { Webhooks } from './webhook-settings.js';

/** What every request may touch. */
export type World = {
  book: Book;
  faults: Faults;
  webhooks: Webhooks;
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
  readonly eventIds: string[] = [];
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

  /** By the table of fees as it stands now. */
  fee(category: FeeCategory, currency: string, amount: number): number {
    return feeFor(this.world.book.state.settlement.fees, category, currency, amount);
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
    this.#record({ type, objectId });
  }

  /** An event that tells of somebody else's object, which this processor does not know. */
  foreignEvent(type: string, foreign: Thing): void {
    this.#record({ type, objectId: foreign.id, foreign });
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

  #record(facts: Pick<EventFacts, 'type' | 'objectId' | 'foreign'>): void {
    const { copies, eventsPerFact } = this.world.webhooks;
    for (let n = 0; n < eventsPerFact; n += 1) {
      const id = this.id('evt');
      this.eventIds.push(id);
      const event = { id, ...facts, ...this.cause, ...(copies !== null && { copies }) };
      this.#changes.push({ event });
    }
  }
}
