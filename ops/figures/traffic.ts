import { createHmac, randomUUID } from 'node:crypto';
import { DEMO_WEBHOOK_SECRET } from '#platform/config.js';
import type { Shot } from './loops.js';

/** A payment under a key that is new unless one is given. */
export function paymentShot(apiKey: string, method: string, key: string = randomUUID()): Shot {
  const order = { amount: 2500, currency: 'myr', payment_method: method, order_id: `order-${key}` };
  const body = JSON.stringify(order);
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'idempotency-key': key,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  return { path: '/v1/payments', headers, body };
}

/** News of a payment that is not ours: it is verified, read and stored like any other. */
export function eventShot(): Shot {
  const seconds = Math.floor(Date.now() / 1_000);
  const body = JSON.stringify({
    id: `evt_${randomUUID()}`,
    object: 'event',
    api_version: '2026-01-28',
    created: seconds,
    type: 'payment_intent.succeeded',
    data: { object: { ...INTENT, id: `pi_${randomUUID()}`, created: seconds } },
  });
  const mac = createHmac('sha256', DEMO_WEBHOOK_SECRET).update(`${seconds}.${body}`).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'stripe-signature': `t=${seconds},v1=${mac}`,
  };
  return { path: '/webhooks/stripe', headers, body };
}

/** As much of a payment intent as makes the event as long as one usually is. */
const INTENT = {
  object: 'payment_intent',
  amount: 2500,
  amount_capturable: 0,
  amount_details: { tip: {} },
  amount_received: 2500,
  application: null,
  automatic_payment_methods: null,
  canceled_at: null,
  capture_method: 'automatic',
  client_secret: null,
  confirmation_method: 'automatic',
  currency: 'myr',
  customer: null,
  description: null,
  last_payment_error: null,
  latest_charge: 'ch_1',
  livemode: false,
  metadata: {},
  next_action: null,
  payment_method: 'pm_123',
  payment_method_types: ['card'],
  status: 'succeeded',
};
