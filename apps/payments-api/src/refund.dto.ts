import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { REFUND_FAILURE_CODES, REFUND_STATUSES } from '#payments/refund.js';
import { INSTANT, MINOR_UNITS } from './payment.dto.js';

/** Documents what `renderRefund` renders; a test holds the two equal. */
class RefundFailureDto {
  @ApiProperty({ enum: REFUND_FAILURE_CODES })
  code: string;

  @ApiProperty()
  message: string;

  @ApiPropertyOptional({ description: "The processor's own code." })
  decline_code?: string;
}

export class RefundDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ enum: ['refund'] })
  object: 'refund';

  @ApiProperty({ format: 'uuid' })
  payment_id: string;

  @ApiProperty({
    enum: REFUND_STATUSES,
    description: '`pending`: on its way, or nobody knows yet. Its amount is held until it ends.',
  })
  status: string;

  @ApiProperty({ ...MINOR_UNITS, example: 500 })
  amount: number;

  @ApiProperty({ example: 'myr' })
  currency: string;

  @ApiProperty({ type: String, nullable: true, example: 'returned' })
  reason: string | null;

  @ApiProperty({ type: RefundFailureDto, nullable: true })
  failure: RefundFailureDto | null;

  @ApiProperty(INSTANT)
  created_at: string;

  @ApiProperty({ ...INSTANT, nullable: true })
  settled_at: string | null;
}

export class RefundListDto {
  @ApiProperty({ type: [RefundDto] })
  data: RefundDto[];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Send it as `after` for the next page; null on the last one.',
  })
  next: string | null;
}
