import type { Socket } from 'node:net';

import type { ChargeRequest, Processor, RefundRequest, StepRequest } from '#processor/processor.js';
import { STRIPE_API_VERSION, stripeProcessor } from '#processor/stripe-processor.js';
import { type Clock, systemClock } from '#seams/clock.js';
import { httpAnswer, startRawServer, type RawRequest } from './raw-server.js';

/** A charge, and the payment that Stripe would answer with. */
export const CHARGE: ChargeRequest = {
  processorKey: '8c9de1a0-4c1f-8abc-9def-0123456789ab',
  accountId: '0198f3a2-7b11-7c3e-b6aa-51d0a8f0a111',
  amount: 2500,
  currency: 'myr',
  paymentMethod: 'pm_123',
  capture: 'automatic',
  apiVersion: STRIPE_API_VERSION,
  renderingVersion: 1,
};

export const MANUAL: ChargeRequest = { ...CHARGE, capture: 'manual' };

/** Later steps on that payment. */
const STEP = {
  accountId: CHARGE.accountId,
  targetId: 'pi_1',
  chargeKey: CHARGE.processorKey,
  currency: 'myr',
  apiVersion: STRIPE_API_VERSION,
};
export const CAPTURE: StepRequest = {
  ...STEP,
  processorKey: '1b1b1b1b-4c1f-8abc-9def-0123456789ab',
  amount: 2000,
  renderingVersion: 2,
};
export const VOID: StepRequest = {
  ...STEP,
  processorKey: '2c2c2c2c-4c1f-8abc-9def-0123456789ab',
  amount: 2500,
  renderingVersion: 3,
};
export const REFUND: RefundRequest = {
  ...STEP,
  processorKey: '3d3d3d3d-4c1f-8abc-9def-0123456789ab',
  amount: 1000,
  renderingVersion: 4,
  reason: 'It was too small.',
};

export const PAYMENT = {
  id: 'pi_1',
  object: 'payment_intent',
  amount: 2500,
  amount_received: 2500,
  currency: 'myr',
  status: 'succeeded',
  metadata: { payonce_account: CHARGE.accountId, payonce_intent: CHARGE.processorKey },
  last_payment_error: null,
  latest_charge: { id: 'ch_1', balance_transaction: { fee: 103, currency: 'myr' } },
};

export const REFUNDED = {
  id: 're_1',
  object: 'refund',
  amount: 1000,
  currency: 'myr',
  status: 'succeeded',
  payment_intent: 'pi_1',
  metadata: { payonce_account: REFUND.accountId, payonce_intent: REFUND.processorKey },
};

export const TIMEOUT = { timeoutMs: 5000 };

/** Processors and the servers behind them; `close` belongs into `afterEach`. */
export class StripeBench {
  private readonly opened: { close(): Promise<void> }[] = [];

  /** A server that answers as the test says, and a processor that speaks to it. */
  async serving(answer: (socket: Socket, request: RawRequest) => void) {
    const server = await startRawServer(answer);
    this.opened.push(server);
    return { server, processor: this.processorAt(server.url) };
  }

  answering(status: number, body: unknown, headers: Record<string, string> = {}) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.serving((socket) => socket.write(httpAnswer(status, text, headers)));
  }

  processorAt(apiBase: string, clock: Clock = systemClock): Processor {
    const secretKey = 'sk_test_payonce';
    const processor = stripeProcessor({ name: 'mock', secretKey, apiBase, clock });
    this.opened.push(processor);
    return processor;
  }

  closing(thing: { close(): Promise<void> }): void {
    this.opened.push(thing);
  }

  async close(): Promise<void> {
    await Promise.all(this.opened.splice(0).map((each) => each.close()));
  }
}
