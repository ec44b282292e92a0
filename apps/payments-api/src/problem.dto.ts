import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PAYMENT_STATUSES } from '#payments/payment-status.js';
import { MINOR_UNITS, PaymentDto } from './payment.dto.js';
import { RefundDto } from './refund.dto.js';

/** Documents what `renderProblem` renders; the members without `required` are added by some codes. */
export class ProblemDto {
  @ApiProperty({
    description: 'The path of a page that says what to do.',
    example: '/docs/problems/card_declined',
  })
  type: string;

  @ApiProperty()
  title: string;

  @ApiProperty({ type: 'integer' })
  status: number;

  @ApiProperty()
  detail: string;

  @ApiProperty({ description: 'Stable: branch on it.' })
  code: string;

  @ApiProperty({ type: String, nullable: true, description: 'The field at fault, dotted.' })
  param: string | null;

  @ApiProperty({
    oneOf: [{ type: 'boolean' }, { type: 'string', enum: ['unknown'] }],
    description: 'Whether the same request with the same key is worth sending again.',
  })
  retryable: boolean | 'unknown';

  @ApiProperty()
  request_id: string;

  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Null where no request had come under the key that was canceled.',
  })
  payment_id?: string | null;

  @ApiPropertyOptional({ enum: PAYMENT_STATUSES, description: 'What the payment is instead.' })
  payment_status?: string;

  @ApiPropertyOptional()
  decline_code?: string;

  @ApiPropertyOptional({ type: PaymentDto })
  payment?: PaymentDto;

  @ApiPropertyOptional({ ...MINOR_UNITS, description: 'What was authorized, in minor units.' })
  authorized?: number;

  @ApiPropertyOptional({ ...MINOR_UNITS, description: 'What is left to refund, in minor units.' })
  remaining?: number;

  @ApiPropertyOptional({ format: 'uuid' })
  refund_id?: string;

  @ApiPropertyOptional({ type: RefundDto })
  refund?: RefundDto;

  @ApiPropertyOptional({
    type: 'object',
    properties: { code: { type: 'string' }, message: { type: 'string' } },
    description: 'Why a capture or a void failed: `…_declined`, `not_sent`, `not_made`.',
  })
  failure?: object;
}
