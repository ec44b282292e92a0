import { applyDecorators } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { ACT_PROBLEMS, ActDto, INSTANT, PAGING } from './operations.openapi.js';
import { PaymentDto } from './payment.dto.js';
import { COMMON_PROBLEMS, problems } from './payments.openapi.js';

class ReviewAttemptDto {
  @ApiProperty({ type: 'integer' })
  attempt_no: number;

  @ApiProperty({ enum: ['send', 'look_up'] })
  action: string;

  @ApiProperty({ enum: ['request', 'worker', 'operator'] })
  actor: string;

  @ApiProperty({ type: String, nullable: true, description: 'Null while it is open.' })
  outcome: string | null;

  @ApiProperty({ type: String, nullable: true })
  detail: string | null;

  @ApiProperty(INSTANT)
  opened_at: string;

  @ApiProperty({ ...INSTANT, nullable: true })
  closed_at: string | null;
}

class ReviewTargetDto {
  @ApiProperty({ example: 'mock' })
  name: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What it acts on, by its id there; null for a charge that nobody has found.',
  })
  id: string | null;
}

class ReviewDto {
  @ApiProperty({ format: 'uuid' })
  operation_id: string;

  @ApiProperty({ enum: ['charge', 'capture', 'void', 'refund'] })
  kind: string;

  @ApiProperty({ format: 'uuid' })
  account_id: string;

  @ApiProperty({ format: 'uuid' })
  payment_id: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  refund_id: string | null;

  @ApiProperty({ type: 'integer', description: 'Minor units.', example: 2500 })
  amount: number;

  @ApiProperty({ example: 'myr' })
  currency: string;

  @ApiProperty({ ...INSTANT, description: 'Since when nobody knows.' })
  since: string;

  @ApiProperty({ ...INSTANT, description: 'Since when it waits for a person.' })
  review_at: string;

  @ApiProperty({ type: 'integer', description: 'Tries whose answer could have settled it.' })
  tries: number;

  @ApiProperty({ description: 'What the last try found.' })
  reason: string;

  @ApiProperty({ type: 'integer' })
  attempts_made: number;

  @ApiProperty({ type: [ReviewAttemptDto], description: 'The latest 50, oldest first.' })
  attempts: ReviewAttemptDto[];

  @ApiProperty({ type: ReviewTargetDto })
  processor: ReviewTargetDto;
}

class ReviewListDto {
  @ApiProperty({ type: [ReviewDto] })
  data: ReviewDto[];

  @ApiProperty({ type: String, nullable: true })
  next: string | null;
}

class StandingDto {
  @ApiProperty({ format: 'uuid' })
  operation_id: string;

  @ApiProperty({ enum: ['in_review', 'resolved'] })
  standing: string;

  @ApiProperty({ type: ReviewDto, nullable: true, description: 'Null once it is resolved.' })
  review: ReviewDto | null;

  @ApiProperty({ type: PaymentDto })
  payment: PaymentDto;
}

class ResolveDto extends ActDto {
  @ApiProperty({ enum: ['happened', 'did_not_happen'] })
  as: string;

  @ApiPropertyOptional({
    description: 'For `happened`: what happened, by its id at the processor. It is read back.',
    example: 'pi_3PqYLk',
  })
  processor_id?: string;
}

const OPERATION_ID = { name: 'operation_id', schema: { type: 'string', format: 'uuid' } } as const;

export const DescribeReviews = () =>
  applyDecorators(
    ApiTags('operations'),
    ApiBearerAuth(),
    ApiOperation({
      summary: 'The review queue: operations that a person should look at, oldest first',
      operationId: 'listReviews',
    }),
    ...PAGING,
    ApiResponse({ status: 200, type: ReviewListDto }),
    ...problems(['validation_failed', ...COMMON_PROBLEMS]),
  );

export const DescribeLookUp = () =>
  applyDecorators(
    ApiTags('operations'),
    ApiBearerAuth(),
    ApiOperation({
      summary: 'Ask the processor about an operation once more, now',
      operationId: 'lookUpReview',
    }),
    ApiParam(OPERATION_ID),
    ApiBody({ type: ActDto }),
    ApiResponse({ status: 200, type: StandingDto }),
    ...problems(['not_found', 'operation_not_in_review', 'payment_in_progress', ...ACT_PROBLEMS]),
  );

export const DescribeResolve = () =>
  applyDecorators(
    ApiTags('operations'),
    ApiBearerAuth(),
    ApiOperation({
      summary: 'Settle an operation on the word of a person',
      operationId: 'resolveReview',
    }),
    ApiParam(OPERATION_ID),
    ApiBody({ type: ResolveDto }),
    ApiResponse({ status: 200, type: StandingDto }),
    ...problems([
      'not_found',
      'operation_not_in_review',
      'payment_in_progress',
      'proof_not_confirmed',
      ...ACT_PROBLEMS,
    ]),
  );
