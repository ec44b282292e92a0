import type { Dice } from './dice.js';
import type { Draft } from './draft.js';
import type { WireAnswer } from './lane.js';

/** Enough to meet each of them again, and few enough to meet each of them often. */
const KEPT_MAX = 400;

/** What exists by now, so that a request can be about something: learnt from answers alone. */
export class KnownThings {
  readonly #lists = new Map<string, string[]>();
  readonly #keyed: { path: string; key: string; body: Buffer | null }[] = [];

  constructor() {
    for (const kind of ['payment', 'refund', 'review', 'break', 'event', 'processor'] as const)
      this.#lists.set(kind, []);
  }

  some(kind: Kind, dice: Dice): string | undefined {
    return dice.pickIfAny(this.#lists.get(kind) ?? []);
  }

  /** An earlier request under a key that went through. */
  earlier(dice: Dice): { path: string; key: string; body: Buffer | null } | undefined {
    return dice.pickIfAny(this.#keyed);
  }

  add(kind: Kind, id: string): void {
    keep(this.#lists.get(kind) ?? [], id);
  }

  learn(draft: Draft, answer: WireAnswer): void {
    if (answer.status >= 300) return;
    const value = parsed(answer.text);
    for (const one of listOf(value)) this.#learnOf(one);
    const key = draft.headers.find(([name]) => name === 'Idempotency-Key')?.[1];
    if (draft.method === 'POST' && key !== undefined)
      keep(this.#keyed, { path: draft.path, key, body: draft.body });
  }

  #learnOf(one: Record<string, unknown>): void {
    const { object, id, operation_id: operationId, processor } = one;
    if (object === 'payment' || object === 'refund' || object === 'break')
      this.add(object, String(id));
    if (typeof operationId === 'string') this.add('review', operationId);
    const processorId = (processor as { id?: unknown } | undefined)?.id;
    if (typeof processorId === 'string') this.add('processor', processorId);
  }
}

export type Kind = 'payment' | 'refund' | 'review' | 'break' | 'event' | 'processor';

function keep<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > KEPT_MAX) list.shift();
}

function listOf(value: unknown): Record<string, unknown>[] {
  const { data } = (value ?? {}) as { data?: unknown };
  return (Array.isArray(data) ? data : [value]).filter(
    (one): one is Record<string, unknown> => typeof one === 'object' && one !== null,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
