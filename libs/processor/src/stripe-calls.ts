import type { Stripe } from 'stripe';

import type { Clock } from '#seams/clock.js';
import { readDisputeFound, readPaymentFound, readRefundFound } from './found.js';
import { disputesIn, type ListPosition, paymentsIn, refundsIn } from './object-list.js';
import { lookUpOutcome, readOutcome, refundListOutcome, sentOutcome } from './outcome.js';
import type { ChargeRequest, Processor, RefundLookUp, StepRequest } from './processor.js';
import { DISPUTE_ID, PAYMENT_ID, readBody, REFUND_ID } from './reading.js';
import { readRefundPage, type RefundPage } from './refund-object.js';
import { FEE, RENDERINGS, unknownRendering } from './renderings.js';
import type { Exchange } from './send-once.js';
import { exchangeOf } from './stripe-transport.js';

/** What a call needs of the adapter. */
export type Line = { stripe: Stripe; clock: Clock };

export function chargeCalls({ stripe, clock }: Line): Pick<Processor, 'charge' | 'lookUpCharge'> {
  return {
    async charge(request, { timeoutMs }) {
      const rendering = RENDERINGS.charge[request.renderingVersion];
      if (rendering === undefined) return unknownRendering(request);
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.paymentIntents.create(rendering(request), keyed(request, timeout)),
      );
      return sentOutcome('charge', exchange, request, clock.wallMs());
    },

    async lookUpCharge(request, processorId, { timeoutMs }) {
      const { apiVersion } = request;
      const exchange = await send(timeoutMs, (timeout) =>
        processorId === null
          ? stripe.paymentIntents.search(searchParameters(request), { apiVersion, timeout })
          : stripe.paymentIntents.retrieve(processorId, { expand: [FEE] }, { apiVersion, timeout }),
      );
      return lookUpOutcome('charge', exchange, request, clock.wallMs());
    },
  };
}

type Steps = 'capture' | 'lookUpCapture' | 'void' | 'lookUpVoid';

export function stepCalls({ stripe, clock }: Line): Pick<Processor, Steps> {
  const retrieve = ({ targetId, apiVersion }: StepRequest, timeoutMs: number) =>
    send(timeoutMs, (timeout) =>
      stripe.paymentIntents.retrieve(targetId, { expand: [FEE] }, { apiVersion, timeout }),
    );
  return {
    async capture(request, { timeoutMs }) {
      const rendering = RENDERINGS.capture[request.renderingVersion];
      if (rendering === undefined) return unknownRendering(request);
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.paymentIntents.capture(
          request.targetId,
          rendering(request),
          keyed(request, timeout),
        ),
      );
      return sentOutcome('capture', exchange, request, clock.wallMs());
    },

    async lookUpCapture(request, { timeoutMs }) {
      const exchange = await retrieve(request, timeoutMs);
      return lookUpOutcome('capture', exchange, request, clock.wallMs());
    },

    async void(request, { timeoutMs }) {
      const rendering = RENDERINGS.void[request.renderingVersion];
      if (rendering === undefined) return unknownRendering(request);
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.paymentIntents.cancel(request.targetId, rendering(request), keyed(request, timeout)),
      );
      return sentOutcome('void', exchange, request, clock.wallMs());
    },

    async lookUpVoid(request, { timeoutMs }) {
      const exchange = await retrieve(request, timeoutMs);
      return lookUpOutcome('void', exchange, request, clock.wallMs());
    },
  };
}

export function refundCalls(line: Line): Pick<Processor, 'refund' | 'lookUpRefund'> {
  const { stripe, clock } = line;
  return {
    async refund(request, { timeoutMs }) {
      const rendering = RENDERINGS.refund[request.renderingVersion];
      if (rendering === undefined) return unknownRendering(request);
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.refunds.create(rendering(request), keyed(request, timeout)),
      );
      return sentOutcome('refund', exchange, request, clock.wallMs());
    },

    async lookUpRefund(request, processorId, { timeoutMs }) {
      if (processorId === null) return findRefund(line, request, timeoutMs);
      const { apiVersion } = request;
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.refunds.retrieve(processorId, {}, { apiVersion, timeout }),
      );
      return lookUpOutcome('refund', exchange, request, clock.wallMs());
    },
  };
}

/** Through all of the payment's refunds, page after page under one deadline: ours may be on any, and be there twice. */
async function findRefund(
  { stripe, clock }: Line,
  request: StepRequest,
  timeoutMs: number,
): Promise<RefundLookUp> {
  const { apiVersion, targetId } = request;
  const deadlineMs = clock.monotonicMs() + timeoutMs;
  const earlier: RefundPage[] = [];
  for (let after: string | null = null; ;) {
    const cursor: Stripe.RefundListParams = after === null ? {} : { starting_after: after };
    const parameters = { payment_intent: targetId, limit: REFUNDS_PER_PAGE, ...cursor };
    const exchange = await send(deadlineMs - clock.monotonicMs(), (timeout) =>
      stripe.refunds.list(parameters, { apiVersion, timeout }),
    );
    const page = pageIn(exchange);
    after = page?.after ?? null;
    if (page === null || after === null || earlier.length === REFUND_PAGES_MAX - 1) {
      return refundListOutcome(earlier, exchange, request, clock.wallMs());
    }
    earlier.push(page);
  }
}

function pageIn(exchange: Exchange): RefundPage | null {
  if (exchange.kind === 'failed' || exchange.status !== 200) return null;
  return readRefundPage(readBody(exchange.body));
}

const REFUNDS_PER_PAGE = 100;

/** A thousand refunds of one payment: more than any has, and a bound for a list that never ends. */
const REFUND_PAGES_MAX = 10;

type Reads = 'readPayment' | 'readRefund' | 'readDispute';

/** An id of another form is nobody's: it is not asked for, and cannot lead the path elsewhere. */
export function readCalls({ stripe, clock }: Line): Pick<Processor, Reads> {
  return {
    async readPayment(id, { timeoutMs }) {
      if (!PAYMENT_ID.test(id)) return { kind: 'not_found' };
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.paymentIntents.retrieve(id, {}, { timeout }),
      );
      return readOutcome(exchange, (body) => readPaymentFound(body, id), clock.wallMs());
    },

    async readRefund(id, { timeoutMs }) {
      if (!REFUND_ID.test(id)) return { kind: 'not_found' };
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.refunds.retrieve(id, {}, { timeout }),
      );
      return readOutcome(exchange, (body) => readRefundFound(body, id), clock.wallMs());
    },

    async readDispute(id, { timeoutMs }) {
      if (!DISPUTE_ID.test(id)) return { kind: 'not_found' };
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.disputes.retrieve(id, { expand: ['payment_intent'] }, { timeout }),
      );
      return readOutcome(exchange, (body) => readDisputeFound(body, id), clock.wallMs());
    },
  };
}

type Lists = 'listPayments' | 'listRefunds' | 'listDisputes';

export function listCalls({ stripe }: Line): Pick<Processor, Lists> {
  return {
    async listPayments(position, { timeoutMs }) {
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.paymentIntents.list(listParameters(position), { timeout }),
      );
      return paymentsIn(exchange);
    },

    async listRefunds(position, { timeoutMs }) {
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.refunds.list(listParameters(position), { timeout }),
      );
      return refundsIn(exchange);
    },

    async listDisputes(position, { timeoutMs }) {
      const parameters = { ...listParameters(position), expand: ['data.payment_intent'] };
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.disputes.list(parameters, { timeout }),
      );
      return disputesIn(exchange);
    },
  };
}

function listParameters({ createdSeconds, after }: ListPosition) {
  const cursor = after === null ? {} : { starting_after: after };
  return { limit: OBJECTS_PER_PAGE, created: { gte: createdSeconds }, ...cursor };
}

const OBJECTS_PER_PAGE = 100;

/** By reference alone: one that another account or amount stands on must be found too, as a conflict. */
function searchParameters({ processorKey }: ChargeRequest): Stripe.PaymentIntentSearchParams {
  return {
    query: `metadata['payonce_intent']:'${processorKey}'`,
    limit: 10,
    expand: [`data.${FEE}`],
  };
}

function keyed({ processorKey, apiVersion }: ChargeRequest | StepRequest, timeout: number) {
  return { idempotencyKey: processorKey, apiVersion, timeout };
}

/** The client takes only whole milliseconds, and 0 for its own default of 80 seconds. */
export async function send(
  timeoutMs: number,
  call: (timeoutMs: number) => Promise<unknown>,
): Promise<Exchange> {
  if (!(timeoutMs >= 1)) {
    return { kind: 'failed', failure: 'deadline_before_sending', detail: 'no time was left' };
  }
  return exchangeOf(await call(Math.floor(timeoutMs)));
}
