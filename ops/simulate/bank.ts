import { succeedLate } from '../../apps/mock-processor/src/charges.js';
import { closeDispute, openDispute } from '../../apps/mock-processor/src/disputes.js';
import { StripeError } from '../../apps/mock-processor/src/errors.js';
import { cancel } from '../../apps/mock-processor/src/payment-intents.js';
import { failRefund } from '../../apps/mock-processor/src/refunds.js';
import type { Intent, State } from '../../apps/mock-processor/src/state.js';
import { Draft } from '../../apps/mock-processor/src/world.js';
import type { Cluster } from './cluster.js';
import { NEMESIS } from './nemesis.js';
import { Stream } from './stream.js';

const HAPPENINGS = [
  'opens a dispute',
  'wins a dispute',
  'loses a dispute',
  'succeeds late',
  'lets an authorization expire',
  'fails a refund',
] as const;
type Happening = (typeof HAPPENINGS)[number];
const HAPPENINGS_MAX = 3;

/** What happens at the processor without a request of ours, whenever it is chosen to. */
export function openBank(cluster: Cluster): void {
  const { scheduler, processor, seed } = cluster.ground;
  const stream = new Stream(`${seed}/bank`);
  scheduler.spawn('bank', NEMESIS, async (task) => {
    for (let count = 0; count < HAPPENINGS_MAX; count += 1) {
      const what = await scheduler.stand(task, 'does', HAPPENINGS, { optional: true });
      const draft = new Draft(processor.world, { requestId: null, idempotencyKey: null });
      if (!happen(processor.state, draft, stream, what as Happening)) continue;
      processor.happened(draft.entry());
    }
  });
}

/** False where there is nothing that it could happen to. */
function happen(state: State, draft: Draft, stream: Stream, what: Happening): boolean {
  const intents = state.order.payment_intent.flatMap(
    (id) => state.find('payment_intent', id) ?? [],
  );
  const of = (...statuses: Intent['status'][]) =>
    intents.filter(({ status }) => statuses.includes(status));
  const pick = <Item>(items: Item[]) => (items.length === 0 ? null : stream.pick(items));
  try {
    switch (what) {
      case 'opens a dispute':
      case 'wins a dispute':
      case 'loses a dispute': {
        const intent = pick(of('succeeded'));
        if (!intent) return false;
        if (what === 'opens a dispute') openDispute(state, draft, intent, null);
        else closeDispute(state, draft, intent, what === 'wins a dispute' ? 'won' : 'lost');
        return true;
      }
      case 'succeeds late': {
        // A hold that has expired is gone for good, at every bank.
        const hasExpired = (intent: Intent) => intent.cancellationReason === 'automatic';
        const open = of('requires_payment_method', 'canceled').filter((one) => !hasExpired(one));
        const intent = pick(open);
        if (intent) succeedLate(draft, intent);
        return intent !== null;
      }
      case 'lets an authorization expire': {
        const intent = pick(of('requires_capture'));
        if (intent) cancel(state, draft, intent, 'automatic');
        return intent !== null;
      }
      case 'fails a refund': {
        const refunds = state.order.refund.flatMap((id) => state.find('refund', id) ?? []);
        const refund = pick(refunds.filter(({ status }) => status !== 'failed'));
        if (refund) failRefund(state, draft, refund);
        return refund !== null;
      }
    }
  } catch (error) {
    if (error instanceof StripeError) return false; // the processor's own rules forbid it now
    throw error;
  }
}
