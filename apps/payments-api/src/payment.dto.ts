import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PAYMENT_STATUSES } from '#payments/payment-status.js';

/** Documents what `renderPayment` renders; a test holds the two equal. */
class FailureDto {
  @ApiProperty({ enum: ['card_declined', 'payment_not_charged'] })
  code: string;

  @ApiProperty()
  message: string;

  @ApiPropertyOptional({ description: "The processor's own code.", example: 'insufficient_funds' })
  decline_code?: string;
}

class ProcessorDto {
  @ApiProperty({ example: 'mock' })
  name: string;

  @ApiProperty({ type: String, nullable: true, example: 'pi_3PqYLk' })
  id: string | null;
}

export const MINOR_UNITS = { type: 'integer', description: 'Minor units.', example: 2500 } as const;
export const INSTANT = {
  type: String,
  format: 'date-time',
  example: '2026-12-01T12:00:00.000Z',
} as const;

export class PaymentDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ enum: ['payment'] })
  object: 'payment';

  @ApiProperty({
    enum: PAYMENT_STATUSES,
    description: '`authorized`: the money is held on the card, and nothing is taken yet.',
  })
  status: string;

  @ApiProperty(MINOR_UNITS)
  amount: number;

  @ApiProperty(MINOR_UNITS)
  amount_captured: number;

  @ApiProperty({ ...MINOR_UNITS, example: 0 })
  amount_refunded: number;

  @ApiProperty({ ...MINOR_UNITS, example: 0 })
  amount_disputed: number;

  @ApiProperty({ example: 'myr' })
  currency: string;

  @ApiProperty({ example: 'pm_123' })
  payment_method: string;

  @ApiProperty({ type: String, nullable: true, example: '1042' })
  order_id: string | null;

  @ApiProperty({ type: String, nullable: true })
  description: string | null;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: {} })
  metadata: Record<string, string>;

  @ApiProperty({ enum: ['automatic', 'manual'] })
  capture: string;

  @ApiProperty({ type: FailureDto, nullable: true })
  failure: FailureDto | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'What is under way, or waits, in words: why a pending payment is not final, or what becomes of an ' +
      'authorized one; null if nothing is.',
  })
  unresolved: string | null;

  @ApiProperty({ type: ProcessorDto })
  processor: ProcessorDto;

  @ApiProperty(INSTANT)
  created_at: string;

  @ApiProperty({ ...INSTANT, nullable: true })
  settled_at: string | null;
}

export class PaymentListDto {
  @ApiProperty({ type: [PaymentDto] })
  data: PaymentDto[];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Send it as `after` for the next page; null on the last one.',
  })
  next: string | null;
}

class TimelineEntryDto {
  @ApiProperty(INSTANT)
  at: string;

  @ApiProperty({ example: 'attempt_opened' })
  kind: string;

  @ApiProperty({ type: String, nullable: true })
  request_id: string | null;

  @ApiProperty({ type: 'integer', nullable: true })
  attempt_no: number | null;

  @ApiProperty({ type: String, nullable: true })
  detail: string | null;
}

export class TimelineDto {
  @ApiProperty({ type: [TimelineEntryDto] })
  data: TimelineEntryDto[];

  @ApiProperty({ type: String, nullable: true })
  next: string | null;
}
