import { linkEntries } from '#ledger/link-entries.js';
import { signCheckpoints } from '#ledger/sign-checkpoints.js';
import { until } from '#testing/until.js';
import { randomUUID } from 'node:crypto';
import { dumpDatabase } from '../../../ops/checker/dump.js';
import type { Books, HistoryLine } from '../../../ops/checker/books.js';
import { type System, startSystem } from '#testing/system.js';
import { applyAll, happens } from '../../webhooks/webhook-world.js';
import { RecordedClient } from './recorded-client.js';

export type Good = { books: Books; accounts: { first: string; second: string } };

/**
 * The books of a short real run, in which everything happens that a payment can meet: charges, declines, refunds,
 * captures, voids, disputes, money that comes late, answers that are lost, and callers who try again.
 */
export async function goodBooks(): Promise<Good> {
  const system = await startSystem({ bendTime: true, webhooks: true });
  try {
    const history: HistoryLine[] = [];
    const first = new RecordedClient(system.client, system.account.id, 'first', history);
    const second = await secondClient(system, history);
    await charges(first, second);
    await steps(system, first);
    await refunds(system, first);
    await unknowns(system, first);
    await cancels(system, first);
    await disputes(system, first);
    await lateMoney(system, first);
    await comeToRest(system);
    await link(system);
    const processor = await system.mockClient.book();
    const accounts = { first: first.account, second: second.account };
    return { books: { history, database: await dumpDatabase(system.owner), processor }, accounts };
  } finally {
    await system.close();
  }
}

/** The chain over what was booked, and what is signed of it. */
async function link({ core, owner }: System): Promise<void> {
  await until(async () => {
    await linkEntries(core.deps.db);
    const { rows } = await owner.query(
      'SELECT (SELECT count(*) FROM ledger_entries) = (SELECT count(*) FROM ledger_chain) AS all_are',
    );
    return rows[0].all_are;
  });
  await signCheckpoints(core.deps.db, core.config.ledgerSigningKeys.signer!);
}

async function secondClient(system: System, history: HistoryLine[]): Promise<RecordedClient> {
  const client = await system.newClient({ name: 'second' });
  const { rows } = await system.owner.query(`SELECT id FROM accounts WHERE name = 'second'`);
  return new RecordedClient(client, rows[0].id, 'second', history);
}

async function charges(first: RecordedClient, second: RecordedClient): Promise<void> {
  const { json } = await first.pay({ order_id: '1042', description: 'tea' }, 'charge');
  await first.pay({ order_id: '1042', description: 'tea' }, 'charge');
  await first.pay({ order_id: '1042', amount: 2600 }, 'charge');
  await first.pay({ order_id: '1042' }, 'charge-again');
  await first.get(`/v1/payments/${json.id}`);
  await second.get(`/v1/payments/${json.id}`);
  await second.pay({ amount: 700, currency: 'jpy' }, 'charge');
  await first.pay({ payment_method: 'pm_card_chargeDeclined' }, 'decline');
  await first.pay({ payment_method: 'pm_card_chargeDeclined' }, 'decline');
  await first.pay({ amount: 0 }, 'bad');
  await first.pay({ amount: 1201 }, 'lost', 'nothing');
  await first.pay({ amount: 1301 }, '"cut"', 'half');
  await first.pay({ amount: 1301 }, 'cut');
}

async function steps(system: System, first: RecordedClient): Promise<void> {
  const held = async (key: string) =>
    (await first.pay({ capture: 'manual', amount: 5000 }, key)).json.id as string;
  const captured = await held('to-capture');
  await first.post(`/v1/payments/${captured}/capture`, { amount: 4100 }, 'capture');
  await first.post(`/v1/payments/${captured}/capture`, { amount: 4100 }, 'capture');
  await first.post(`/v1/payments/${await held('to-void')}/cancel`, null, 'void');
  await held('to-hold');
  const { json } = await first.pay(
    { capture: 'manual', payment_method: 'pm_test_capture_refused' },
    'refused-capture',
  );
  await first.post(`/v1/payments/${json.id}/capture`, {}, 'capture-refused');
  const expired = await first.pay({ capture: 'manual' }, 'to-expire');
  await happens(system, 'authorization_expired', {
    payment_intent: expired.json.processor.id,
  });
  await applyAll(system);
}

async function refunds(system: System, first: RecordedClient): Promise<void> {
  const { json } = await first.pay({ order_id: 'refunded' }, 'to-refund');
  const path = `/v1/payments/${json.id}/refunds`;
  await first.post(path, { amount: 1000, reason: 'one was broken' }, 'refund-1');
  await first.post(path, { amount: 1000, reason: 'one was broken' }, 'refund-1');
  await first.post(path, { amount: 1600 }, 'refund-too-much');
  await first.post(path, {}, 'refund-2');
  for (const method of ['pm_test_refund_refused', 'pm_card_pendingRefund', 'pm_card_refundFail']) {
    const paid = await first.pay({ payment_method: method }, `pay ${method}`);
    await first.post(`/v1/payments/${paid.json.id}/refunds`, { amount: 500 }, `refund ${method}`);
  }
  await system.advance(6_000);
  await system.mockClient.book();
  await applyAll(system);
}

async function unknowns(system: System, first: RecordedClient): Promise<void> {
  for (const method of ['lose_response', 'lose_request', 'error_not_charged', 'busy']) {
    const body = { payment_method: `pm_test_${method}` };
    const { json } = await first.pay(body, method);
    await first.pay(body, method);
    if (method !== 'busy') await system.settle(json.id);
    await first.pay(body, method);
    await first.get(`/v1/payments/${json.payment_id ?? json.id}`);
  }
}

async function cancels(system: System, first: RecordedClient): Promise<void> {
  const later = { prefer: 'respond-async' };
  await first.pay({}, 'queued', 'whole', later);
  await first.post('/v1/cancellations', { idempotency_key: 'queued' }, null);
  await first.pay({}, 'queued');
  await first.post('/v1/cancellations', { idempotency_key: 'never-seen' }, null);
  await first.pay({}, 'never-seen');
  const { json } = await first.pay({}, 'queued-too', 'whole', later);
  await first.post(`/v1/payments/${json.id}/cancel`, null, 'cancel-queued');
  await first.pay({}, 'done-later', 'whole', later);
  await system.sweep();
  await first.pay({}, 'done-later');
}

async function disputes(system: System, first: RecordedClient): Promise<void> {
  for (const end of ['dispute_won', 'dispute_lost', null]) {
    const { json } = await first.pay({}, `disputed ${end}`);
    const payment_intent = json.processor.id;
    if (end === null) await first.post(`/v1/payments/${json.id}/refunds`, { amount: 900 });
    await happens(system, 'dispute_opened', { payment_intent });
    await applyAll(system);
    if (end !== null) await happens(system, end, { payment_intent });
    await applyAll(system);
  }
}

async function lateMoney(system: System, first: RecordedClient): Promise<void> {
  const ann = await system.newOperator();
  for (const act of ['accept', 'refund', null]) {
    const declined = { payment_method: 'pm_card_chargeDeclined' };
    const { json } = await first.pay(declined, `late ${act}`);
    const reference = json.payment.processor.id;
    await happens(system, 'late_success', { payment_intent: reference });
    await applyAll(system);
    if (act === null) continue;
    const { rows } = await system.owner.query('SELECT id FROM breaks WHERE reference = $1', [
      reference,
    ]);
    const because = { reason_code: 'customer', reason: 'the customer says so' };
    await ann.post(`/v1/operations/breaks/${rows[0].id}/${act}`, because, randomUUID());
    await first.pay(declined, `late ${act}`);
  }
}

/** Until nothing is left to do. */
async function comeToRest(system: System): Promise<void> {
  for (let pass = 0; pass < 20; pass++) {
    await system.sweep();
    await applyAll(system);
    const { rows } = await system.owner.query('SELECT count(*)::int AS left FROM unresolved');
    if (rows[0].left === 0) return;
    await system.advance(31_000);
  }
  throw new Error('work is left after 20 passes');
}
