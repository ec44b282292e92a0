import { Stripe } from 'stripe';

import type { Clock } from '#seams/clock.js';
import { type EventPosition, eventsIn } from './event-list.js';
import { accountIn } from './outcome.js';
import type { Processor } from './processor.js';
import { RENDERING_VERSIONS } from './renderings.js';
import {
  chargeCalls,
  type Line,
  listCalls,
  readCalls,
  refundCalls,
  send,
  stepCalls,
} from './stripe-calls.js';
import { type Carry, StripeTransport } from './stripe-transport.js';

/**
 * The processor that speaks Stripe's API: Stripe itself, or with `apiBase` whatever answers like it.
 *
 * One call is one HTTP request. Nothing here retries, remembers or decides: the request is a function
 * of the operation, and the answer goes through the table in `classification.ts`.
 *
 * All of it runs against servers of our own in the tests. Against Stripe itself it runs only where a
 * test key is at hand (`stripe-live.spec.ts`), so what Stripe is said to do here is its documentation's word.
 */
export function stripeProcessor(options: StripeOptions): Processor {
  const { name, clock } = options;
  const base = new URL(options.apiBase ?? 'https://api.stripe.com');
  const transport = new StripeTransport(base.origin, clock, options.carry ?? null);
  const stripe = new Stripe(options.secretKey, {
    httpClient: transport,
    telemetry: false,
    maxNetworkRetries: 0,
  });

  const line: Line = { stripe, clock };
  let account: string | null = null;

  return {
    name,
    apiVersion: STRIPE_API_VERSION,
    renderingVersions: RENDERING_VERSIONS,

    async account({ timeoutMs }) {
      if (account !== null) return account;
      const exchange = await send(timeoutMs, (timeout) =>
        stripe.accounts.retrieveCurrent({}, { timeout }),
      );
      account = accountIn(exchange);
      return account;
    },

    ...chargeCalls(line),
    ...stepCalls(line),
    ...refundCalls(line),
    ...readCalls(line),
    ...listCalls(line),

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
  /** Carries the requests in place of HTTP: for a simulation, where the processor is in the same process. */
  carry?: Carry;
};

/** What new intents are claimed with. Charges claimed before go on under the version of their claim. */
export const STRIPE_API_VERSION = '2026-10-28.endive';

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
