import type { PaymentOrder } from '#payments/payment.js';
import { checkRepresentable } from '#processor/processor-limits.js';
import { CreatePaymentDto } from './create-payment.dto.js';
import { type Refused, bodyJudge } from './judge-body.js';

type Judged = { kind: 'accepted'; order: PaymentOrder } | Refused;

const judgeBody = bodyJudge(CreatePaymentDto);

/** Whether a body is an order that the processor can carry. */
export function judgeOrder(body: unknown, processorName: string): Judged {
  const judged = judgeBody(body);
  if (judged.kind === 'refused') return judged;
  const { dto } = judged;
  const carried = checkRepresentable(processorName, dto.amount, dto.currency);
  if (carried !== null) {
    const problem = {
      code: 'amount_not_representable',
      param: 'amount',
      detail: carried.reason,
    } as const;
    return { kind: 'refused', problem };
  }
  return { kind: 'accepted', order: orderOf(dto) };
}

function orderOf(dto: CreatePaymentDto): PaymentOrder {
  return {
    amount: dto.amount,
    currency: dto.currency,
    paymentMethod: dto.payment_method,
    orderId: dto.order_id ?? null,
    description: dto.description ?? null,
    metadata: dto.metadata ?? {},
    capture: dto.capture ?? 'automatic',
  };
}
