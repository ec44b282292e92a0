import { Stripe } from 'stripe';

import type { Clock } from '#seams/clock.js';
import { type EventPosition, eventsIn } from './event-list.js';
import { accountIn, chargeOutcome, lookUpOutcome } from './outcome.js';
import type { ChargeRequest, Processor, Unknown } from './processor.js';
import type { Exchange } from './send-once.js';
import { exchangeOf, StripeTransport } from './stripe-transport.js';

/**
 * The processor that speaks Stripe's API: Stripe itself, or with `apiBase` whatever answers like it.
 *
 * One call is one HTTP request. Nothing here retries, remembers or decides: the request is a function
 * of the charge, and the answer goes through the table in `classification.ts`.
 *
 * All of it runs against servers of our own in the tests. Against Stripe itself it runs only where a
 * test key is at hand (`stripe-live.spec.ts`), so what Stripe is said to do here is its documentation's word.
 */
export function stripeProcessor(options: StripeOptions): Processor {
  const { name, clock } = options;
  const base = new URL(options.apiBase ?? 'https://api.stripe.com');
  const transport = new StripeTransport(base.origin, clock);
  const stripe = new Stripe(options.secretKey, {
    httpClient: transport,
    telemetry: false,
    maxNetworkRetries: 0,
  });

  let account: string | null = null;

  return {
    name,
    apiVersion: STRIPE_API_VERSION,
    renderingVersion: RENDERING_VERSION,

    async account({ timeoutMs }) {
      if (account !== null) return account;
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.accounts.retrieveCurrent({}, { timeout }),
      );
      account = accountIn(exchange);
      return account;
    },

    async charge(request, { timeoutMs }) {
      const rendering = RENDERINGS[request.renderingVersion];
      if (rendering === undefined) return unknownRendering(request);
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.paymentIntents.create(rendering(request), {
          idempotencyKey: request.processorKey,
          apiVersion: request.apiVersion,
          timeout,
        }),
      );
      return chargeOutcome(exchange, request, clock.wallMs());
    },

    async lookUpCharge(request, processorId, { timeoutMs }) {
      const { apiVersion } = request;
      const exchange = await send(timeoutMs, (timeout) =>
        processorId === null
          ? stripe.paymentIntents.search(searchParameters(request), { apiVersion, timeout })
          : stripe.paymentIntents.retrieve(processorId, { expand: [FEE] }, { apiVersion, timeout }),
      );
      return lookUpOutcome(exchange, request, clock.wallMs());
    },

    async listEvents(position, { timeoutMs }) {
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.events.list(listParameters(position), { timeout }),
      );
      return eventsIn(exchange, position);
    },

    close: () => transport.close(),
  };
}

export type StripeOptions = {
  /** The name that payments show: `mock` or `stripe`. */
  name: string;
  secretKey: string;
  /** For example `http://127.0.0.1:3001`. Null is Stripe itself. */
  apiBase: string | null;
  clock: Clock;
};

/** What new intents are claimed with. Charges claimed before go on under the version of their claim. */
export const STRIPE_API_VERSION = '2026-10-28.endive';

export const RENDERING_VERSION = 1;

/**
 * The charge as parameters. Stripe compares a re-send with the first by its parameters, and a test pins
 * the bytes, so a rendering that has been released is never changed: a new one gets the next number.
 */
const RENDERINGS: Record<number, (request: ChargeRequest) => Stripe.PaymentIntentCreateParams> = {
  /**
   * Cards only and no customer at hand: what would need an authentication fails instead, and nothing
   * can redirect, so that no `return_url` is needed. Since 2026-09-30 Stripe refuses `payment_method_types`
   * here, and `error_on_requires_action` does not go together with `automatic_payment_methods`.
   */
  1: (request) => ({
    amount: request.amount,
    currency: request.currency,
    payment_method: request.paymentMethod,
    allowed_payment_method_types: ['card'],
    capture_method: 'automatic',
    confirm: true,
    error_on_requires_action: true,
    metadata: { payonce_account: request.accountId, payonce_intent: request.processorKey },
    expand: [FEE],
  }),
};

/** Claimed by a newer release. Sending it in other bytes than before would be worse than waiting. */
function unknownRendering({ renderingVersion }: ChargeRequest): Unknown {
  return {
    kind: 'unknown',
    reason: 'refused',
    storedError: false,
    counts: false,
    detail: `not sent: this release has no rendering ${renderingVersion}`,
    retryAfterSeconds: null,
  };
}

/** By reference alone: one that another account or amount stands on must be found too, as a conflict. */
function searchParameters({ processorKey }: ChargeRequest): Stripe.PaymentIntentSearchParams {
  return {
    query: `metadata['payonce_intent']:'${processorKey}'`,
    limit: 10,
    expand: [`data.${FEE}`],
  };
}

/** The list is told newest first; `ending_before` an event are those that came after it. */
function listParameters(position: EventPosition): Stripe.EventListParams {
  if (position.kind === 'after') return { limit: EVENTS_PER_PAGE, ending_before: position.eventId };
  const { createdSeconds, before } = position;
  return {
    limit: EVENTS_PER_PAGE,
    created: { gte: createdSeconds },
    ...(before === null ? {} : { starting_after: before }),
  };
}

const EVENTS_PER_PAGE = 100;

const FEE = 'latest_charge.balance_transaction';

/** The client takes only whole milliseconds, and 0 for its own default of 80 seconds. */
async function send(
  timeoutMs: number,
  call: (timeoutMs: number) => Promise<unknown>,
): Promise<Exchange> {
  if (!(timeoutMs >= 1)) {
    return { kind: 'failed', failure: 'deadline_before_sending', detail: 'no time was left' };
  }
  return exchangeOf(await call(Math.floor(timeoutMs)));
}
