import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { acceptLateSuccess } from '#payments/accept-late-success.js';
import { refundLateSuccess } from '#payments/refund-late-success.js';
import type { System } from '#testing/system.js';
import { applyAll, happens, untilHeard } from '../webhooks/webhook-world.js';

export type Made = { id: string; processorId: string };

/** A payment that ended, or stands, as `status`: 201 charged or authorized, 402 declined, 202 unknown or queued. */
export async function made(
  { client }: System,
  status: number,
  body: object = {},
  headers: Record<string, string> = {},
): Promise<Made> {
  const answer = await client.pay(body, randomUUID(), headers);
  expect(answer.status, answer.text).toBe(status);
  const payment = answer.json.payment ?? answer.json;
  return { id: payment.id ?? answer.json.payment_id, processorId: payment.processor?.id };
}

export async function step(
  { client }: System,
  { id }: Made,
  name: 'refunds' | 'capture' | 'cancel',
  status: number,
  body?: object,
): Promise<void> {
  const answer = await client.post(`/v1/payments/${id}/${name}`, body);
  expect(answer.status, answer.text).toBe(status);
}

export async function disputed(system: System, payment: Made, ...kinds: string[]): Promise<Made> {
  for (const kind of kinds) {
    await happens(system, kind, { payment_intent: payment.processorId });
    await applyAll(system);
  }
  return payment;
}

/** A declined payment whose money came after all. */
export async function late(system: System): Promise<Made & { breakId: string }> {
  const payment = await made(system, 402, { payment_method: 'pm_card_chargeDeclined' });
  await untilHeard(system, payment.processorId, 'payment_intent.payment_failed');
  await disputed(system, payment, 'late_success');
  const { rows } = await system.owner.query('SELECT id FROM breaks WHERE reference = $1', [
    payment.processorId,
  ]);
  return { ...payment, breakId: rows[0].id };
}

/** Payments of every kind, each as the product itself leaves it. */
export async function everyPayment(system: System): Promise<void> {
  const { client, core } = system;
  await made(system, 201);
  await refundedPayments(system);
  await heldPayments(system);
  for (const kinds of [[], ['dispute_won'], ['dispute_lost']]) {
    await disputed(system, await made(system, 201), 'dispute_opened', ...kinds);
  }
  const excess = await made(system, 201);
  await step(system, excess, 'refunds', 201, { amount: 2000 });
  await disputed(system, excess, 'dispute_opened');

  await late(system);
  const accepted = await late(system);
  const decision = { actor: 'mei', reasonCode: 'goods_sent', reason: 'They have the goods.' };
  await acceptLateSuccess(
    { ...core.deps, orderOnce: true },
    { ...decision, breakId: accepted.breakId },
  );
  const { breakId } = await late(system);
  await refundLateSuccess(core.deps, { breakId, reason: 'paid twice', requestId: 'req_1' });
  await system.sweep();
  await applyAll(system);

  // What has not ended stays as it is from here on: nobody sweeps any more.
  await made(system, 503, { payment_method: 'pm_test_busy' });
  await made(system, 202, { payment_method: 'pm_test_lose_request' });
  const queued = await made(system, 202, {}, { prefer: 'respond-async' });
  await step(system, queued, 'cancel', 200);
  await made(system, 202, {}, { prefer: 'respond-async' });
  await client.post('/v1/cancellations', { idempotency_key: randomUUID() });
  const pending = await made(system, 201, { payment_method: 'pm_card_pendingRefund' });
  await step(system, pending, 'refunds', 201, {});
}

async function refundedPayments(system: System): Promise<void> {
  const refunded = await made(system, 201);
  await step(system, refunded, 'refunds', 201, { amount: 500 });
  await step(system, refunded, 'refunds', 201, {});
  const refused = await made(system, 201, { payment_method: 'pm_test_refund_refused' });
  await step(system, refused, 'refunds', 402, {});
  for (const method of ['pm_card_pendingRefund', 'pm_card_refundFail']) {
    await step(system, await made(system, 201, { payment_method: method }), 'refunds', 201, {});
  }
  const { rows } = await system.owner.query(
    `SELECT r.processor_id FROM refunds r JOIN payments p ON p.id = r.payment_id
      WHERE p.payment_method = 'pm_card_refundFail'`,
  );
  await system.advance(10_000);
  await untilHeard(system, rows[0].processor_id, 'refund.failed');
  await applyAll(system);
}

async function heldPayments(system: System): Promise<void> {
  const manual = { capture: 'manual' };
  await made(system, 201, manual);
  await step(system, await made(system, 201, manual), 'capture', 200, { amount: 1000 });
  await step(system, await made(system, 201, manual), 'cancel', 200);
  const uncaptured = await made(system, 201, {
    ...manual,
    payment_method: 'pm_test_capture_refused',
  });
  await step(system, uncaptured, 'capture', 402, {});
  const unvoided = await made(system, 201, { ...manual, payment_method: 'pm_test_void_refused' });
  await step(system, unvoided, 'cancel', 402);
}
