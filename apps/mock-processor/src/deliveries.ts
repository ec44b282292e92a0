import { setMaxListeners } from 'node:events';
import { Agent as PlainAgent, type Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { HoldBack } from './hold-back.js';
import { postWebhook } from './post-webhook.js';
import type { RecordedEvent, Thing } from './state.js';
import type { WebhookSettings, WebhookTarget } from './webhook-settings.js';
import { wireEvent } from './wire.js';
import { nowMs, type World } from './world.js';

export const EVENTS_AT_ONCE = 8;
export const TRIES_MAX = 30;
export const AGE_MS_MAX = 3 * 24 * 3_600_000;
const PAUSE_MS = { first: 500, max: 60_000 };
/** How long the book may wait until it says that a delivery has been made. */
const NOTE_MS = 100;

type Log = (event: string, more: Record<string, unknown>) => void;

/**
 * Sends each event that is on the disk to the configured address until it is taken. Events of one
 * payment go one after the other, retries apart, so that the order that was asked for is the order
 * that arrives; different payments go side by side. A kill can repeat a delivery and never lose one.
 */
export class Deliveries {
  /** Events that are ready to go, by payment. */
  readonly #lanes = new Map<string, string[]>();
  /** Lanes of which no event is on its way. */
  readonly #idle = new Set<string>();
  /** Tries that failed, for each event that is being taken care of. */
  readonly #tries = new Map<string, number>();
  readonly #firstTries = new Map<string, { done: Promise<void>; resolve: () => void }>();
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #held: HoldBack;
  #agent: Agent | null = null;
  #seen: number;
  #noting = false;

  constructor(
    private readonly world: World,
    private readonly log: Log,
  ) {
    setMaxListeners(0, this.#stopping.signal); // one for each copy that is on its way
    this.#seen = world.book.state.events.length;
    this.#held = new HoldBack(world.clock, this.#stopping.signal, (ids) => this.#ready(ids));
  }

  /** Takes up what is owed from before. */
  start(): void {
    const { target } = this.world.webhooks;
    if (!target) return;
    this.#agent?.destroy();
    const secure = new URL(target.url).protocol === 'https:';
    this.#agent = new (secure ? SecureAgent : PlainAgent)({ keepAlive: true });
    this.#take([...this.world.book.state.owed.copies.keys()]);
  }

  /** Takes up the events that have come to stand on the disk. */
  onDurable(events: number): void {
    const { state } = this.world.book;
    const fresh = state.events.slice(this.#seen, events);
    this.#seen = events;
    for (const event of fresh) if (state.owed.copies.has(event.id)) this.#begin(event);
  }

  /** Owes events again, whether they have been delivered or not. */
  async redeliver(events: RecordedEvent[]): Promise<void> {
    const at = nowMs(this.world);
    await this.world.book.commit({
      at,
      changes: events.map(({ id }) => ({ owed: id, copies: 1 })),
    });
    this.#take(events.map(({ id }) => id));
  }

  /** With `before_answer`: resolves when each of these events has been tried once. */
  async told(isMeant: (event: RecordedEvent) => boolean): Promise<void> {
    const { state } = this.world.book;
    const waits: Promise<void>[] = [];
    for (const [id, { done }] of this.#firstTries) {
      const event = state.event(id);
      if (event && isMeant(event)) waits.push(done);
    }
    await Promise.all(waits);
  }

  /** The settings have changed: what was held back under the old ones goes out. */
  settle(before: WebhookSettings): void {
    this.#held.flush(before);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    for (const { resolve } of this.#firstTries.values()) resolve();
    await Promise.all(this.#running);
    this.#agent?.destroy();
  }

  #begin(event: RecordedEvent): void {
    const { clock, webhooks } = this.world;
    const { settings } = webhooks;
    this.#tries.set(event.id, 0);
    if (settings.beforeAnswer) this.#promise(event.id);
    const go = () => {
      if (settings.order === 'normal') this.#ready([event.id]);
      else this.#held.add(event.id, settings);
    };
    if (settings.delayMs === 0) return go();
    void clock.sleep(settings.delayMs, this.#stopping.signal).then(go);
  }

  #promise(eventId: string): void {
    let resolve = () => {};
    const done = new Promise<void>((settle) => (resolve = settle));
    this.#firstTries.set(eventId, { done, resolve });
  }

  /** Those that are not being taken care of already. */
  #take(eventIds: string[]): void {
    const fresh = eventIds.filter((id) => !this.#tries.has(id));
    for (const id of fresh) this.#tries.set(id, 0);
    this.#ready(fresh);
  }

  #ready(eventIds: string[]): void {
    for (const id of eventIds) {
      const event = this.world.book.state.event(id);
      if (!event) throw new Error(`${id} is owed and is unknown`);
      const lane = paymentOf(event.snapshot);
      const waiting = this.#lanes.get(lane);
      if (waiting) {
        waiting.push(id);
      } else {
        this.#lanes.set(lane, [id]);
        this.#idle.add(lane);
      }
    }
    this.#pump();
  }

  #pump(): void {
    const { target } = this.world.webhooks;
    while (target && !this.#stopping.signal.aborted && this.#running.size < EVENTS_AT_ONCE) {
      const [lane] = this.#idle;
      if (lane === undefined) return;
      this.#idle.delete(lane);
      const run = this.#run(lane, target).finally(() => {
        this.#running.delete(run);
        this.#pump();
      });
      this.#running.add(run);
    }
  }

  async #run(lane: string, target: WebhookTarget): Promise<void> {
    const waiting = this.#lanes.get(lane) ?? [];
    const [eventId] = waiting;
    if (eventId !== undefined) await this.#send(eventId, target);
    waiting.shift();
    if (waiting.length === 0) this.#lanes.delete(lane);
    else this.#idle.add(lane);
  }

  async #send(eventId: string, target: WebhookTarget): Promise<void> {
    const { book, clock } = this.world;
    const event = book.state.event(eventId);
    const copies = book.state.owed.copies.get(eventId) ?? 0;
    const stopped = this.#stopping.signal;
    const agent = this.#agent;
    if (!event || !agent) return;
    const body = JSON.stringify(wireEvent(event, 1));
    const posting = { target, body, clock, agent, stopped };
    const statuses = await Promise.all(Array.from({ length: copies }, () => postWebhook(posting)));
    if (stopped.aborted) return;
    const taken = statuses.filter((status) => status !== null && status >= 200 && status < 300);
    if (taken.length > 0) this.#note({ delivered: eventId, copies: taken.length });
    this.#firstTries.get(eventId)?.resolve();
    this.#firstTries.delete(eventId);
    if (taken.length < copies) return this.#again(event, statuses);
    this.#tries.delete(eventId);
    // Owed again while it was on its way.
    if (book.state.owed.copies.has(eventId)) this.#take([eventId]);
  }

  #again(event: RecordedEvent, statuses: (number | null)[]): void {
    const { clock, random } = this.world;
    const tries = (this.#tries.get(event.id) ?? 0) + 1;
    if (tries >= TRIES_MAX || nowMs(this.world) - event.createdMs >= AGE_MS_MAX) {
      this.#note({ abandoned: event.id });
      this.#tries.delete(event.id);
      this.log('mock_webhook_abandoned', { event_id: event.id, type: event.type, tries, statuses });
      return;
    }
    this.#tries.set(event.id, tries);
    const pauseMs = pauseAfter(tries, random.unit());
    void clock.sleep(pauseMs, this.#stopping.signal).then(() => this.#ready([event.id]));
  }

  #note(change: { delivered: string; copies: number } | { abandoned: string }): void {
    const { book, clock } = this.world;
    book.note({ at: nowMs(this.world), changes: [change] });
    if (this.#noting) return;
    this.#noting = true;
    void clock.sleep(NOTE_MS, this.#stopping.signal).then(() => {
      this.#noting = false;
      return book.synced().catch(() => {});
    });
  }
}

/** Doubles from half a second to a minute; between half of that and the whole. */
export function pauseAfter(tries: number, unit: number): number {
  const whole = Math.min(PAUSE_MS.first * 2 ** (tries - 1), PAUSE_MS.max);
  return Math.round(whole * (0.5 + unit / 2));
}

function paymentOf(thing: Thing): string {
  if (thing.object === 'payment_intent') return thing.id;
  return thing.object === 'balance_transaction' ? thing.sourceId : thing.intentId;
}
