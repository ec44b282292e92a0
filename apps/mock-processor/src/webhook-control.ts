import type { FastifyInstance } from 'fastify';
import { ControlBody, ControlRefusal } from './control-body.js';
import { answerRefusal } from './control-refusal.js';
import type { Deliveries } from './deliveries.js';
import type { RecordedEvent, State } from './state.js';
import { ORDINARY_WEBHOOKS, readWebhooks, shownWebhooks } from './webhook-settings.js';
import type { World } from './world.js';

export type DeliveryDeps = { world: World; deliveries: Deliveries };

/** What goes wrong with deliveries on demand, and deliveries again. */
export function addWebhookControl(app: FastifyInstance, { world, deliveries }: DeliveryDeps): void {
  const { book, webhooks } = world;
  const change = (settings: typeof webhooks.settings) => {
    const before = webhooks.settings;
    webhooks.settings = settings;
    deliveries.settle(before);
    return shownWebhooks(webhooks);
  };

  app.get('/_control/webhooks', () => shownWebhooks(webhooks));

  app.put('/_control/webhooks', (request, reply) =>
    answerRefusal(reply, () => change(readWebhooks(new ControlBody(request.body)))),
  );

  app.delete('/_control/webhooks', () => change({ ...ORDINARY_WEBHOOKS }));

  app.post('/_control/webhooks/redeliver', (request, reply) =>
    answerRefusal(reply, async () => {
      const events = eventsMeant(book.state, new ControlBody(request.body));
      if (!webhooks.target) {
        throw new ControlRefusal(
          null,
          'There is nowhere to deliver to: MOCK_WEBHOOK_URL is not set.',
        );
      }
      await deliveries.redeliver(events);
      return { redelivered: events.length };
    }),
  );
}

/** One event by its id, or all that were created from one instant to another. */
function eventsMeant(state: State, body: ControlBody): RecordedEvent[] {
  body.allow(['event_id', 'from', 'to']);
  const eventId = body.string('event_id');
  const fromMs = body.instant('from');
  const toMs = body.instant('to');
  if (eventId !== null) {
    if (fromMs !== null || toMs !== null) {
      throw new ControlRefusal('event_id', 'event_id goes without from and to.');
    }
    const event = state.event(eventId);
    if (event) return [event];
    throw new ControlRefusal('event_id', `event_id: no such event, ${eventId.slice(0, 80)}.`);
  }
  if (fromMs === null) throw new ControlRefusal('from', 'event_id, or from and to, is expected.');
  if (toMs === null) throw new ControlRefusal('to', 'to is expected beside from.');
  return state.events.filter(({ createdMs }) => createdMs >= fromMs && createdMs <= toMs);
}
