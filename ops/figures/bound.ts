import { createHash, randomUUID } from 'node:crypto';
import { deriveProcessorKey, hashKey } from '#idempotency/processor-key.js';
import type { Deps } from '#payments/deps.js';
import type { Intent } from '#payments/intent.js';
import { takePayment } from '#payments/take-payment.js';
import type { Db } from '#postgres/db.js';
import { FIND_ACCOUNT } from './figures.sql.js';
import { progress } from './progress.js';
import type { Scale } from './scale.js';
import type { Stage } from './stage.js';

/**
 * The bound of payments a second on this machine: the same claim and the same record step, by the same code, from
 * one process with as many connections as a service has, with nothing around them. No HTTP, and a processor
 * that answers from memory. Returns payments a second.
 */
export async function measureBound(stage: Stage, db: Db, scale: Scale): Promise<number> {
  progress('claim and record alone');
  const core = await stage.openCore();
  try {
    const [account] = await db.run(FIND_ACCOUNT, ['demo']);
    const processorAccount = await core.deps.processor.account({ timeoutMs: 5_000 });
    if (!account || processorAccount === null) throw new Error('bound: no account');
    const deps: Deps = { ...core.deps, processor: { ...core.deps.processor, charge: atOnce } };
    return await paymentsPerSecond(scale, async () => {
      const reply = await takePayment(deps, intentOf(account.id, processorAccount));
      if (reply.status !== 201) throw new Error(`bound: a payment ended with ${reply.status}`);
    });
  } finally {
    await core.close();
  }
}

async function paymentsPerSecond(
  { connections, warmupMs, seconds }: Scale,
  payOnce: () => Promise<void>,
): Promise<number> {
  const fromMs = performance.now() + warmupMs;
  const toMs = fromMs + seconds * 1000;
  let paid = 0;
  const payInTurn = async () => {
    while (performance.now() < toMs) {
      await payOnce();
      const nowMs = performance.now();
      if (nowMs >= fromMs && nowMs <= toMs) paid += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, payInTurn));
  return paid / seconds;
}

const atOnce: Deps['processor']['charge'] = ({ amount, currency }) =>
  Promise.resolve({
    kind: 'succeeded',
    processorId: `pi_${randomUUID()}`,
    amount,
    currency,
    fee: { amount: 102, currency },
  });

function intentOf(accountId: string, processorAccount: string): Intent {
  const key = randomUUID();
  return {
    account: { id: accountId, orderOnce: true },
    requestId: `req_${randomUUID()}`,
    operation: 'POST /v1/payments',
    keyHash: hashKey(key),
    processorKey: deriveProcessorKey(accountId, 'charge', key),
    fingerprint: createHash('sha256').update(key).digest(),
    fingerprintVersion: 1,
    matches: () => true,
    queue: false,
    verdict: {
      kind: 'accepted',
      processorAccount,
      claimed: () => {},
      order: {
        amount: 2500,
        currency: 'myr',
        paymentMethod: 'pm_123',
        orderId: `order-${key}`,
        description: null,
        metadata: {},
        capture: 'automatic',
      },
    },
  };
}
