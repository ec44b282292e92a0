import { checkRepresentable } from '#processor/processor-limits.js';
import type { Problem } from '#problems/problems.js';
import type { TargetRow } from './claim-step.sql.js';
import type { StepIntent, StepVerdict } from './intent.js';

type Asked = Pick<Extract<StepVerdict, { kind: 'accepted' }>, 'amount' | 'currency'>;

/** Why this cannot be done with the payment as it is, or null. What is left to refund, the claim itself decides. */
export function judgeTarget(
  kind: StepIntent['kind'],
  target: TargetRow | null,
  asked: Asked,
): Problem | null {
  if (target === null) return { code: 'payment_not_found' };
  const extra = { payment_id: target.payment_id, payment_status: target.status };
  switch (kind) {
    case 'capture':
      return judgeCapture(target, asked, extra);
    case 'void':
      return target.status === 'authorized' ? null : { code: 'payment_not_cancelable', extra };
    case 'refund':
      return target.status === 'succeeded'
        ? moneyProblem(target, asked)
        : { code: 'payment_not_refundable', extra, detail: `The payment is ${target.status}.` };
  }
}

function judgeCapture(
  target: TargetRow,
  asked: Asked,
  extra: Record<string, unknown>,
): Problem | null {
  if (target.status !== 'authorized') {
    const detail = `The payment is ${target.status}; only an authorized one can be captured.`;
    return { code: 'payment_not_capturable', detail, extra };
  }
  const authorized = Number(target.amount);
  if (asked.amount !== null && asked.amount > authorized) {
    return {
      code: 'capture_exceeds_authorized',
      param: 'amount',
      detail: `${authorized} was authorized.`,
      extra: { payment_id: target.payment_id, authorized },
    };
  }
  return moneyProblem(target, asked);
}

/** Another currency, or a part that the processor cannot carry: it is refused, never rounded. */
function moneyProblem(target: TargetRow, { amount, currency }: Asked): Problem | null {
  const extra = { payment_id: target.payment_id };
  if (currency !== null && currency !== target.currency) {
    const detail = `The payment is in ${target.currency}.`;
    return { code: 'currency_mismatch', param: 'currency', detail, extra };
  }
  const carried =
    amount === null ? null : checkRepresentable(target.processor_name, amount, target.currency);
  if (carried === null) return null;
  return { code: 'amount_not_representable', param: 'amount', detail: carried.reason, extra };
}

/**
 * Why a refund has no room, once the database has refused its reservation; null if it has room by now.
 * Refunds that are pending count: they may yet succeed.
 */
export function judgeRefund(target: TargetRow, amount: number | null): Problem | null {
  const unrefunded = Number(target.amount_captured) - Number(target.amount_reserved);
  const remaining = Math.max(0, unrefunded - Number(target.amount_disputed));
  const extra = { payment_id: target.payment_id, remaining };
  if (remaining > 0 && (amount ?? remaining) <= remaining) return null;
  if (unrefunded <= 0) return { code: 'already_refunded', extra };
  if (amount === null || amount <= unrefunded) {
    const detail = `${remaining} can be refunded now: a dispute has taken the rest.`;
    return { code: 'payment_disputed', detail, extra };
  }
  const detail = `${remaining} is left to refund.`;
  return { code: 'refund_exceeds_remaining', param: 'amount', detail, extra };
}
