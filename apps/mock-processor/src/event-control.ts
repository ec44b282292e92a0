import type { FastifyInstance } from 'fastify';
import { succeedLate } from './charges.js';
import { ControlBody, ControlRefusal } from './control-body.js';
import { answerRefusal } from './control-refusal.js';
import { closeDispute, openDispute } from './disputes.js';
import { invalid, missing } from './errors.js';
import { cancel, findIntent } from './payment-intents.js';
import { failRefund } from './refunds.js';
import type { Intent, Refund, State } from './state.js';
import type { DeliveryDeps } from './webhook-control.js';
import { Draft } from './world.js';

/** What happens at a processor without a request: banks, late answers, other people's payments. */
export function addEventControl(app: FastifyInstance, { world, deliveries }: DeliveryDeps): void {
  app.post('/_control/events', (request, reply) =>
    answerRefusal(reply, async () => {
      const ordered = readEvent(new ControlBody(request.body));
      const draft = new Draft(world, { requestId: null, idempotencyKey: null });
      happen(world.book.state, draft, ordered);
      await world.book.commit(draft.entry());
      await deliveries.told((event) => draft.eventIds.includes(event.id));
      const { kind } = ordered;
      return { kind, events: draft.eventIds };
    }),
  );
}

const OF_INTENTS = [
  'dispute_opened',
  'dispute_won',
  'dispute_lost',
  'late_success',
  'authorization_expired',
] as const;
const OF_NOTHING = ['unknown_type', 'not_ours'] as const;
export const EVENT_KINDS = [...OF_INTENTS, 'refund_failed', ...OF_NOTHING] as const;

type Ordered =
  | { kind: (typeof OF_INTENTS)[number]; intentId: string; amount: number | null }
  | { kind: 'refund_failed'; refundId: string }
  | { kind: (typeof OF_NOTHING)[number] };

function readEvent(body: ControlBody): Ordered {
  body.allow(['kind', 'payment_intent', 'refund', 'amount']);
  const kind = body.choice('kind', EVENT_KINDS);
  if (kind === null) {
    throw new ControlRefusal('kind', `kind is one of ${EVENT_KINDS.join(', ')}.`);
  }
  const intentId = body.string('payment_intent');
  const refundId = body.string('refund');
  const amount = body.integer('amount', 1, 99_999_999);
  if (amount !== null && kind !== 'dispute_opened') throw notWith('amount', kind);
  if (kind === 'refund_failed') {
    if (intentId !== null) throw notWith('payment_intent', kind);
    if (refundId === null) throw new ControlRefusal('refund', `refund goes with ${kind}.`);
    return { kind, refundId };
  }
  if (refundId !== null) throw notWith('refund', kind);
  if (kind === 'unknown_type' || kind === 'not_ours') {
    if (intentId !== null) throw notWith('payment_intent', kind);
    return { kind };
  }
  if (intentId === null) {
    throw new ControlRefusal('payment_intent', `payment_intent goes with ${kind}.`);
  }
  return { kind, intentId, amount };
}

function happen(state: State, draft: Draft, ordered: Ordered): void {
  switch (ordered.kind) {
    case 'dispute_opened':
      return openDispute(state, draft, intentOf(state, ordered), ordered.amount);
    case 'dispute_won':
      return closeDispute(state, draft, intentOf(state, ordered), 'won');
    case 'dispute_lost':
      return closeDispute(state, draft, intentOf(state, ordered), 'lost');
    case 'late_success':
      return succeedLate(draft, mustBe(intentOf(state, ordered), UNCHARGED));
    case 'authorization_expired':
      return expire(state, draft, mustBe(intentOf(state, ordered), ['requires_capture']));
    case 'refund_failed':
      return failRefund(state, draft, refundOf(state, ordered.refundId));
    case 'unknown_type':
      return draft.foreignEvent('mock.unheard_of', foreignIntent(draft));
    case 'not_ours':
      return draft.foreignEvent('payment_intent.succeeded', foreignIntent(draft));
  }
}

const UNCHARGED: Intent['status'][] = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'canceled',
];

function expire(state: State, draft: Draft, intent: Intent): void {
  cancel(state, draft, intent, 'automatic');
  if (intent.chargeId !== null) draft.event('charge.expired', intent.chargeId);
}

/** A payment of somebody who uses the same processor: not stored here, so it cannot be read back. */
function foreignIntent(draft: Draft): Intent {
  return {
    object: 'payment_intent',
    id: draft.id('pi'),
    createdMs: draft.at,
    amount: 1999,
    currency: 'usd',
    captureMethod: 'automatic',
    status: 'succeeded',
    paymentMethod: 'pm_card_visa',
    description: 'Subscription of another shop',
    metadata: { shop: 'another' },
    amountReceived: 1999,
    amountCapturable: 0,
    chargeId: draft.id('ch'),
    canceledMs: null,
    cancellationReason: null,
    lastError: null,
  };
}

function intentOf(state: State, { intentId }: { intentId: string }): Intent {
  return findIntent(state, intentId, 'payment_intent');
}

function refundOf(state: State, id: string): Refund {
  const refund = state.find('refund', id);
  if (!refund) throw missing('refund', id.slice(0, 80), 'refund');
  if (refund.status !== 'failed') return refund;
  throw invalid(`${id} has failed already.`, 'refund');
}

function mustBe(intent: Intent, statuses: Intent['status'][]): Intent {
  if (statuses.includes(intent.status)) return intent;
  throw invalid(
    `${intent.id} is ${intent.status}, not ${statuses.join(' or ')}.`,
    'payment_intent',
  );
}

function notWith(member: string, kind: string): ControlRefusal {
  return new ControlRefusal(member, `${member} does not go with ${kind}.`);
}
