import type { RefundFound } from '#processor/processor.js';
import { applyEvent } from './apply-event.js';
import { FIND_NEWS_TARGET } from './apply-event.sql.js';
import type { Deps } from './deps.js';
import { type ImportEnd, orRefused } from './import-end.js';
import { importStep } from './import-step.js';
import { FIND_REFUND_TARGET } from './refund-news.sql.js';

/**
 * A refund as the processor shows it. One whose operation is here is settled through that, or told as news; any
 * other becomes a refund with a new id on its payment, which was imported before it.
 */
export function importRefund(
  deps: Deps,
  found: RefundFound,
  requestId: string,
): Promise<ImportEnd> {
  const { accountId, intent, processorId } = found;
  // Made by hand there, or by another program: reconciliation finds it.
  if (accountId === null || intent === null) return Promise.resolve('not_ours');
  const facts = { processor_id: processorId, account_id: accountId, intent };
  return orRefused(deps, facts, async () => {
    const [known] = await deps.db.run(FIND_REFUND_TARGET, [accountId, intent, deps.processor.name]);
    if (!known) {
      deps.log.critical('import_without_account', facts);
      return 'refused';
    }
    if (known.refund_id !== null) {
      return known.refund_status === found.status ? 'known' : tell(deps, processorId, requestId);
    }
    const payment = await paymentOf(deps, found);
    if (payment === 'again') return 'again';
    if (payment === null) {
      deps.log.critical('import_without_payment', facts);
      return 'refused';
    }
    const { amount } = found;
    return importStep(deps, {
      kind: 'refund',
      accountId,
      paymentId: payment,
      processorKey: intent,
      amount,
      knownAs: processorId,
      requestId,
    });
  });
}

/** One that was made before that instant, and of which something is told since. */
export async function importRefundById(
  deps: Deps,
  processorId: string,
  requestId: string,
): Promise<ImportEnd> {
  const { processorTimeoutMs: timeoutMs } = deps.terms;
  const found = await deps.processor.readRefund(processorId, { timeoutMs });
  if (found.kind === 'not_found') return 'not_ours';
  return found.kind === 'found' ? importRefund(deps, found, requestId) : 'again';
}

async function tell(deps: Deps, processorId: string, requestId: string): Promise<ImportEnd> {
  const nudge = { type: 'refund.updated', object_id: processorId };
  await applyEvent(
    deps,
    { ...nudge, event_id: processorId, payload: '{}', waits: 0, age_ms: 0 },
    requestId,
  );
  return 'settled';
}

/** The payment here that a refund there gives back. */
async function paymentOf(
  { db, processor, terms }: Deps,
  { paymentId, accountId }: RefundFound,
): Promise<string | null> {
  if (paymentId === null) return null;
  const payment = await processor.readPayment(paymentId, { timeoutMs: terms.processorTimeoutMs });
  if (payment.kind === 'not_found') return null;
  if (payment.kind !== 'found') return 'again';
  if (payment.accountId !== accountId) return null;
  const [target] = await db.run(FIND_NEWS_TARGET, [accountId, payment.intent, processor.name]);
  return target?.payment_id ?? null;
}
