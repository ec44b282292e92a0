import { createHmac } from 'node:crypto';
import type { RecordedEvent } from '../../apps/mock-processor/src/state.js';
import { wireEvent } from '../../apps/mock-processor/src/wire.js';
import { DEMO_WEBHOOK_SECRET } from '#platform/config.js';
import type { Cluster } from './cluster.js';
import { Stream } from './stream.js';

/** What a service that takes payments subscribes to; the rest it would ignore. */
const SUBSCRIBED =
  /^(payment_intent\.(succeeded|payment_failed|canceled|amount_capturable_updated)|refund\.(updated|failed)|charge\.refund\.updated|charge\.dispute\.\w+)$/;
const TRIES_MAX = 3;
const PAUSE_MS = 2_000;

/** Delivers the processor's events, each as often and as late as it likes, in whatever order comes of that. */
export class Courier {
  readonly #stream: Stream;
  #seen = 0;

  constructor(
    private readonly cluster: Cluster,
    private readonly delivers: number,
  ) {
    this.#stream = new Stream(`${cluster.ground.seed}/courier`);
  }

  /** Takes up what has happened at the processor since it was last here. */
  readonly collect = (): void => {
    const { events } = this.cluster.ground.processor.state;
    for (; this.#seen < events.length; this.#seen += 1) {
      const event = events[this.#seen];
      if (!event || !SUBSCRIBED.test(event.type) || !this.#stream.chance(this.delivers)) continue;
      const copies = this.#stream.chance(0.2) ? 2 : 1;
      for (let copy = 1; copy <= copies; copy += 1) this.#dispatch(event, copy);
    }
  };

  #dispatch(event: RecordedEvent, copy: number): void {
    const { scheduler } = this.cluster.ground;
    const laterMs = this.#stream.pick([0, 0, 0, 500, 20_000, 600_000]);
    scheduler.spawn(`courier ${this.#seen}.${copy}`, 'courier', async (task) => {
      const due = laterMs === 0 ? {} : { dueMs: scheduler.nowMs + laterMs };
      for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
        const ends = ['ok', 'never arrives'];
        const end = await scheduler.stand(task, `delivers ${event.type}`, ends, due);
        const answer = end === 'ok' ? await this.cluster.send(this.#request(event), null) : null;
        scheduler.trace.result(task, String(answer?.status));
        if (answer?.status === 200) return;
        await scheduler.sleep(task, PAUSE_MS * tries);
      }
    });
  }

  #request(event: RecordedEvent) {
    const body = JSON.stringify(wireEvent(event, 1));
    const seconds = Math.floor(this.cluster.ground.scheduler.nowMs / 1_000);
    const signature = createHmac('sha256', DEMO_WEBHOOK_SECRET)
      .update(`${seconds}.${body}`)
      .digest('hex');
    const headers = {
      'Content-Type': 'application/json',
      'Stripe-Signature': `t=${seconds},v1=${signature}`,
    };
    return { method: 'POST' as const, path: '/webhooks/stripe', headers, body };
  }
}
