import { getMetadataStorage, validateSync } from 'class-validator';
import type { PaymentOrder } from '#payments/payment.js';
import { checkRepresentable } from '#processor/processor-limits.js';
import type { Problem } from '#problems/problems.js';
import { CreatePaymentDto } from './create-payment.dto.js';
import { faultOf } from './validators.js';

type Judged = { kind: 'accepted'; order: PaymentOrder } | { kind: 'refused'; problem: Problem };

const MEMBERS = new Set(
  getMetadataStorage()
    .getTargetValidationMetadatas(CreatePaymentDto, '', false, false)
    .map(({ propertyName }) => propertyName),
);

/**
 * Business validation of a strictly parsed body. It only judges; whether the verdict is ever told
 * depends on the key. class-validator stands behind our own look at the members: it lets names such as
 * `constructor` through, and takes null for absent.
 */
export function judgeOrder(body: unknown, processorName: string): Judged {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return invalid(null, 'The body must be a JSON object.');
  }
  for (const [member, value] of Object.entries(body)) {
    if (!MEMBERS.has(member)) return invalid(member, `${member} is not a known field.`);
    if (value === null) return invalid(member, `${member} must not be null; leave it out instead.`);
  }
  const dto = Object.assign(new CreatePaymentDto(), body);
  const [error] = validateSync(dto, { stopAtFirstError: true, validationError: { target: false } });
  if (error !== undefined)
    return invalid(paramOf(error.property, body), firstMessage(error.constraints));
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

function invalid(param: string | null, detail: string): Judged {
  return { kind: 'refused', problem: { code: 'validation_failed', param, detail } };
}

function paramOf(property: string, body: object): string {
  if (property !== 'metadata') return property;
  const member = faultOf((body as { metadata?: unknown }).metadata)?.member ?? null;
  return member === null ? property : `${property}.${member}`;
}

function firstMessage(constraints: Record<string, string> | undefined): string {
  const [message] = Object.values(constraints ?? {});
  return message === undefined ? 'The field is not valid.' : `${message}.`;
}
