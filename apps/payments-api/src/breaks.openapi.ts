import { applyDecorators } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiQuery,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { BREAK_KINDS } from '#payments/break-kinds.js';
import { ACT_PROBLEMS, ActDto, INSTANT, PAGING } from './operations.openapi.js';
import { COMMON_PROBLEMS, problems } from './payments.openapi.js';

class BreakDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ enum: ['break'] })
  object: string;

  @ApiProperty({ enum: Object.keys(BREAK_KINDS) })
  kind: string;

  @ApiProperty({ description: "The processor's id of what differs.", example: 'pi_3PqYLk' })
  reference: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  account_id: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  payment_id: string | null;

  @ApiProperty({ example: 'mock' })
  processor: string;

  @ApiProperty({ enum: ['info', 'warning', 'critical'] })
  severity: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Minor units, as it stands now.' })
  amount: number | null;

  @ApiProperty({ type: String, nullable: true, example: 'myr' })
  currency: string | null;

  @ApiProperty({ enum: ['open', 'closed'] })
  status: string;

  @ApiProperty(INSTANT)
  first_seen: string;

  @ApiProperty(INSTANT)
  last_seen: string;

  @ApiProperty({ ...INSTANT, nullable: true, description: 'From then on it is not accepted.' })
  refund_ordered_at: string | null;

  @ApiProperty({ ...INSTANT, nullable: true })
  closed_at: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: "An operator's name, or `payonce` where it closed by itself.",
  })
  closed_by: string | null;

  @ApiProperty({ type: String, nullable: true })
  reason_code: string | null;

  @ApiProperty({ type: String, nullable: true })
  reason: string | null;

  @ApiProperty({ type: 'object', additionalProperties: true })
  details: object;
}

class BreakListDto {
  @ApiProperty({ type: [BreakDto] })
  data: BreakDto[];

  @ApiProperty({ type: String, nullable: true })
  next: string | null;
}

class BreakActDto extends ActDto {
  @ApiProperty({ pattern: '^[a-z][a-z0-9_]{0,99}$', example: 'goods_sent' })
  reason_code: string;
}

const ID = { name: 'id', schema: { type: 'string', format: 'uuid' } } as const;

export const DescribeBreaks = () =>
  applyDecorators(
    ApiTags('operations'),
    ApiBearerAuth(),
    ApiOperation({
      summary: 'Differences that somebody has to settle, newest first',
      operationId: 'listBreaks',
    }),
    ApiQuery({ name: 'status', required: false, schema: { enum: ['open', 'closed'] } }),
    ...PAGING,
    ApiResponse({ status: 200, type: BreakListDto }),
    ...problems(['validation_failed', ...COMMON_PROBLEMS]),
  );

export const DescribeAccept = () =>
  describeAct('Accept money that came late: its payment has succeeded after all', 'acceptBreak', [
    'order_already_paid',
  ]);

export const DescribeGiveBack = () =>
  describeAct('Give money that came late back', 'refundBreak', []);

function describeAct(
  summary: string,
  operationId: string,
  more: Parameters<typeof problems>[0],
): MethodDecorator {
  return applyDecorators(
    ApiTags('operations'),
    ApiBearerAuth(),
    ApiOperation({ summary, operationId }),
    ApiParam(ID),
    ApiBody({ type: BreakActDto }),
    ApiResponse({ status: 200, type: BreakDto }),
    ...problems(['not_found', 'break_not_settleable', ...more, ...ACT_PROBLEMS]),
  );
}
