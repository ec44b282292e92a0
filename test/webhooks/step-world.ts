import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { deriveProcessorKey, hashKey } from '#idempotency/processor-key.js';
import { runStep } from '#payments/run-step.js';
import { takePayment } from '#payments/take-payment.js';
import type { System } from '#testing/system.js';

type Answer = { status: number; json: any };

/** The parts of a request that name its intent, as the API would read them. */
function keyed({ account }: System, operation: string, key: string) {
  return {
    account: { id: account.id, orderOnce: true },
    requestId: `req_${randomUUID()}`,
    operation,
    keyHash: hashKey(key),
    fingerprint: Buffer.alloc(32),
    fingerprintVersion: 1,
    matches: () => true,
  };
}

/** A refund, as its caller makes it. */
export async function refund(
  system: System,
  paymentId: string,
  amount: number | null = null,
  key = randomUUID(),
): Promise<Answer> {
  const reply = await runStep(system.core.deps, {
    ...keyed(system, 'refund', key),
    kind: 'refund',
    paymentId,
    processorKey: deriveProcessorKey(system.account.id, 'refund', key),
    verdict: { kind: 'accepted', amount, currency: null, reason: null, claimed: () => {} },
  });
  return { status: reply.status, json: JSON.parse(reply.body.toString('utf8')) };
}

/** A payment whose money is held. */
export async function authorize(system: System): Promise<{ id: string; processorId: string }> {
  const key = randomUUID();
  const { deps } = system.core;
  const processorAccount = await deps.processor.account({ timeoutMs: 5_000 });
  if (processorAccount === null) throw new Error('The mock has no account');
  const reply = await takePayment(deps, {
    ...keyed(system, 'pay', key),
    processorKey: deriveProcessorKey(system.account.id, 'charge', key),
    queue: false,
    verdict: {
      kind: 'accepted',
      processorAccount,
      claimed: () => {},
      order: {
        amount: 2500,
        currency: 'myr',
        paymentMethod: 'pm_123',
        orderId: null,
        description: null,
        metadata: {},
        capture: 'manual',
      },
    },
  });
  const json = JSON.parse(reply.body.toString('utf8'));
  expect([reply.status, json.status]).toEqual([201, 'authorized']);
  return { id: json.id, processorId: json.processor.id };
}
