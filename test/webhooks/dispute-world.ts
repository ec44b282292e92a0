import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { settleExcess } from '#payments/settle-excess.js';
import type { System } from '#testing/system.js';
import { applyAll, criticals, happens } from './webhook-world.js';

export type Paid = { id: string; processorId: string };

export async function paid({ client }: System): Promise<Paid> {
  const { status, json } = await client.pay();
  expect(status).toBe(201);
  return { id: json.id, processorId: json.processor.id };
}

/** Something happens to the dispute of a payment at the bank, and its news is applied. */
export async function bank(
  system: System,
  kind: string,
  { processorId }: Paid,
  amount?: number,
): Promise<void> {
  await happens(system, kind, {
    payment_intent: processorId,
    ...(amount !== undefined && { amount }),
  });
  await applyAll(system);
}

/** As if refunds had taken hold of so much. */
export async function reserve({ owner }: System, id: string, amount: number): Promise<void> {
  await owner.query('UPDATE payments SET amount_reserved = $2 WHERE id = $1', [id, amount]);
}

/** As if a refund had been proved not made: the room, and what takes disputes out of suspense, in one commit. */
export async function giveBack(
  { core, account }: System,
  id: string,
  amount: number,
): Promise<number> {
  return core.deps.db.transaction(async (tx) => {
    await tx.run(GIVE_BACK, [id, amount]);
    return settleExcess(tx, { accountId: account.id, paymentId: id, sourceId: randomUUID() });
  });
}

const GIVE_BACK = {
  name: 'spec.give_back',
  text: 'UPDATE payments SET amount_reserved = amount_reserved - $2::bigint WHERE id = $1::uuid',
};

/** A dispute of the whole payment, as the processor might show it. */
export function newSeen({ account }: System, paymentId: string) {
  return {
    accountId: account.id,
    paymentId,
    processorName: 'mock',
    processorId: `du_${randomUUID()}`,
    status: 'open' as const,
    amount: 2500,
    currency: 'myr',
    openedAt: new Date('2026-01-02T03:04:05Z'),
  };
}

export function alarmsOf(system: System, paymentId: string): System['log'] {
  return criticals(system).filter(({ payment_id }) => payment_id === paymentId);
}
