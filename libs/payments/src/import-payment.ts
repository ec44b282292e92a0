import type { ListedPayment } from '#processor/object-list.js';
import type { PaymentFound } from '#processor/processor.js';
import { FIND_NEWS_TARGET, type NewsTarget } from './apply-event.sql.js';
import { internalKeyHash } from './claim-internal.js';
import { IMPORT_CHARGE } from './claim.sql.js';
import type { Deps } from './deps.js';
import { type ImportEnd, orRefused } from './import-end.js';
import { type StepKeys, importStep } from './import-step.js';
import { sentBySomebody } from './import-terms.js';
import type { Accepted, Intent } from './intent.js';
import { claimValues } from './new-lease.js';
import { recordOutcome } from './record-outcome.js';
import { finishOperation } from './take-payment.js';
import { takeUpToLook } from './take-up-for-news.js';

/**
 * A payment as the list shows it. One whose operation is here is settled through that; any other becomes a payment
 * with a new id, of which only the processor's part is known: order, description and metadata were never sent. What
 * was captured or voided of it since follows as an operation of its own.
 */
export function importPayment(
  deps: Deps,
  listed: ListedPayment,
  steps: ReadonlyMap<string, StepKeys>,
  requestId: string,
): Promise<ImportEnd> {
  const { accountId, intent, processorId } = listed;
  if (accountId === null || intent === null) return Promise.resolve('not_ours');
  const facts = { processor_id: processorId, account_id: accountId, intent };
  return orRefused(deps, facts, async () => {
    const [target] = await deps.db.run(FIND_NEWS_TARGET, [accountId, intent, deps.processor.name]);
    if (!target) {
      deps.log.critical('import_without_account', facts);
      return 'refused';
    }
    if (target.payment_id !== null) return settleKnown(deps, target, listed, steps, requestId);
    const made = await importCharge(deps, listed, { accountId, intent }, requestId);
    if (made !== 'imported') return made;
    await stepOf(deps, accountId, intent, listed, steps, requestId);
    return 'imported';
  });
}

/** One that was made before that instant, and of which something is told since. */
export async function importPaymentById(
  deps: Deps,
  processorId: string,
  steps: ReadonlyMap<string, StepKeys>,
  requestId: string,
): Promise<ImportEnd> {
  const { processorTimeoutMs: timeoutMs } = deps.terms;
  const found = await deps.processor.readPayment(processorId, { timeoutMs });
  if (found.kind === 'not_found') return 'not_ours';
  if (found.kind !== 'found') return 'again';
  const { accountId, intent } = found;
  if (accountId === null || intent === null) return 'not_ours';
  return orRefused(deps, { processor_id: processorId }, async () => {
    const [target] = await deps.db.run(FIND_NEWS_TARGET, [accountId, intent, deps.processor.name]);
    // It is older than what was lost, so its row was never here: whoever reconciles finds it.
    if (!target || target.payment_id === null) return 'not_ours';
    return settleKnown(deps, target, found, steps, requestId);
  });
}

async function settleKnown(
  deps: Deps,
  target: NewsTarget,
  found: Found,
  steps: ReadonlyMap<string, StepKeys>,
  requestId: string,
): Promise<ImportEnd> {
  const { accountId, intent } = found;
  if (accountId === null || intent === null) return 'not_ours';
  const isPending = target.status === 'pending';
  const agrees = Number(target.amount) === found.amount && target.currency === found.currency;
  // Another amount under our reference is for the look-up to tell aloud.
  const capture = agrees ? target.capture : 'automatic';
  if (isPending) await settleCharge(deps, accountId, target, { ...found, capture, requestId });
  const stepped = await stepOf(deps, accountId, intent, found, steps, requestId);
  return isPending || stepped ? 'settled' : 'known';
}

type Found = Pick<
  PaymentFound,
  'accountId' | 'intent' | 'processorId' | 'status' | 'amount' | 'amountReceived' | 'currency'
>;

/** What became of a payment that is authorized here, through a capture or a void of its own. */
async function stepOf(
  deps: Deps,
  accountId: string,
  intent: string,
  found: Found,
  steps: ReadonlyMap<string, StepKeys>,
  requestId: string,
): Promise<boolean> {
  const kind = STEP_TO.get(found.status);
  if (kind === undefined) return false;
  const [target] = await deps.db.run(FIND_NEWS_TARGET, [accountId, intent, deps.processor.name]);
  if (!target || target.payment_id === null || target.status !== 'authorized') return false;
  const key = steps.get(found.processorId)?.[kind] ?? null;
  await importStep(deps, {
    kind,
    accountId,
    paymentId: target.payment_id,
    processorKey: key === intent ? null : key,
    amount: kind === 'capture' ? found.amountReceived : null,
    requestId,
  });
  return true;
}

const STEP_TO: ReadonlyMap<string, 'capture' | 'void'> = new Map([
  ['succeeded', 'capture'],
  ['canceled', 'void'],
] as const);

async function importCharge(
  deps: Deps,
  listed: ListedPayment,
  named: { accountId: string; intent: string },
  requestId: string,
): Promise<ImportEnd> {
  const { processorTimeoutMs: timeoutMs } = deps.terms;
  const processorAccount = await deps.processor.account({ timeoutMs });
  if (processorAccount === null) return 'again';
  const intent = intentOf(listed, named, processorAccount, requestId);
  const sent = { ...deps, terms: sentBySomebody(deps.terms) };
  const values = claimValues(sent, intent, intent.verdict, deps.random.uuid());
  const [row] = await deps.db.run(IMPORT_CHARGE, values);
  if (!row?.claimed_operation_id) return 'known';
  const key = { key_hash: intent.keyHash, key_state: 'started', ended: false } as const;
  await settleCharge(deps, named.accountId, key, { ...listed, requestId });
  return 'imported';
}

/**
 * Asks the processor about a charge, as recovery would. One that was held first is recorded as held: what was captured
 * or voided since is an operation of its own, with a key that its caller may come back with.
 */
async function settleCharge(
  deps: Deps,
  accountId: string,
  { key_hash: keyHash, key_state: state, ended }: ChargeKey,
  found: Found & { capture: 'automatic' | 'manual'; requestId: string },
): Promise<void> {
  const { processorId, amount, currency, requestId } = found;
  if (state === 'finished' || state === 'canceled') return;
  const lease = await takeUpToLook(deps, { accountId, keyHash, state, ended, requestId });
  if (lease === null) return; // somebody else has it in their hands
  if (found.capture === 'manual' && STEP_TO.has(found.status)) {
    const held = { kind: 'authorized', processorId, amount, currency, expiresAt: null } as const;
    await recordOutcome(deps, lease, held);
  } else {
    await finishOperation(deps, { ...lease, knownAs: processorId });
  }
}

type ChargeKey = Pick<NewsTarget, 'key_hash' | 'key_state' | 'ended'>;

function intentOf(
  { amount, currency, capture, paymentMethod }: ListedPayment,
  { accountId, intent }: { accountId: string; intent: string },
  processorAccount: string,
  requestId: string,
): Intent & { verdict: Accepted } {
  return {
    account: { id: accountId, orderOnce: false },
    requestId,
    operation: 'internal charge',
    keyHash: internalKeyHash(intent),
    fingerprint: Buffer.alloc(32),
    fingerprintVersion: 0,
    matches: () => false,
    processorKey: intent,
    queue: false,
    verdict: {
      kind: 'accepted',
      order: {
        amount,
        currency,
        capture,
        paymentMethod: paymentMethod ?? 'unknown',
        orderId: null,
        description: null,
        metadata: {},
      },
      processorAccount,
      claimed: () => {},
    },
  };
}
