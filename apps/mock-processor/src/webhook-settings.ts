import type { ControlBody } from './control-body.js';

/** Where deliveries go, and what they are signed with. */
export type WebhookTarget = { url: string; secret: string };

export const ORDERS = ['normal', 'reversed', 'shuffled'] as const;

export type WebhookSettings = {
  /** How many deliveries of the same bytes one event gets, all at once. */
  copies: number;
  delayMs: number;
  order: (typeof ORDERS)[number];
  /** The answer of the request that caused an event waits for the event's first delivery. */
  beforeAnswer: boolean;
  /** Each fact becomes two events. */
  twoIds: boolean;
  /** New events are listed and never delivered. */
  drop: boolean;
  /** What a shuffle follows from. */
  seed: number;
};

export const ORDINARY_WEBHOOKS: Readonly<WebhookSettings> = {
  copies: 1,
  delayMs: 0,
  order: 'normal',
  beforeAnswer: false,
  twoIds: false,
  drop: false,
  seed: 1,
};

export const COPIES_MAX = 10;
export const DELAY_MS_MAX = 600_000;
const SEED_MAX = 2 ** 32 - 1;

/** The settings of `PUT /_control/webhooks`. They are not in the book; what they made owed is. */
export class Webhooks {
  settings: WebhookSettings = { ...ORDINARY_WEBHOOKS };

  constructor(public target: WebhookTarget | null) {}

  /** How many deliveries an event that is made now is owed; null when there is nowhere to send it. */
  get copies(): number | null {
    if (!this.target) return null;
    return this.settings.drop ? 0 : this.settings.copies;
  }

  get eventsPerFact(): number {
    return this.settings.twoIds ? 2 : 1;
  }
}

/** Reads the body of `PUT /_control/webhooks`, whose absent members take the ordinary values. */
export function readWebhooks(body: ControlBody): WebhookSettings {
  body.allow(['copies', 'delay_ms', 'order', 'before_answer', 'two_ids', 'drop', 'seed']);
  return {
    copies: body.integer('copies', 1, COPIES_MAX) ?? ORDINARY_WEBHOOKS.copies,
    delayMs: body.integer('delay_ms', 0, DELAY_MS_MAX) ?? ORDINARY_WEBHOOKS.delayMs,
    order: body.choice('order', ORDERS) ?? ORDINARY_WEBHOOKS.order,
    beforeAnswer: body.boolean('before_answer') ?? ORDINARY_WEBHOOKS.beforeAnswer,
    twoIds: body.boolean('two_ids') ?? ORDINARY_WEBHOOKS.twoIds,
    drop: body.boolean('drop') ?? ORDINARY_WEBHOOKS.drop,
    seed: body.integer('seed', 0, SEED_MAX) ?? ORDINARY_WEBHOOKS.seed,
  };
}

export function shownWebhooks({ settings, target }: Webhooks): Record<string, unknown> {
  const { copies, delayMs, order, beforeAnswer, twoIds, drop, seed } = settings;
  return {
    copies,
    delay_ms: delayMs,
    order,
    before_answer: beforeAnswer,
    two_ids: twoIds,
    drop,
    seed,
    url: target?.url ?? null,
  };
}
