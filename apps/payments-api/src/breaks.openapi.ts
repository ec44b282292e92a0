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

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Who asked that it be written off; another person approves.',
  })
  write_off_asked_by: string | null;

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
  describeAct(
    'Accept a difference as it is; or money that came late: its payment has succeeded after all',
    'acceptBreak',
    ['order_already_paid'],
  );

export const DescribeGiveBack = () =>
  describeAct('Give money that came late back', 'refundBreak', []);

export const DescribeMatch = () =>
  describeAct('The two sides belong together: the difference is explained', 'matchBreak', []);

export const DescribeWriteOff = () =>
  describeAct(
    'Ask that a difference be written off; a second person approves',
    'writeOffBreak',
    [],
  );

export const DescribeApprove = () =>
  describeAct('Approve that it be written off, as another person asked', 'approveBreak', [
    'second_person_required',
  ]);

export const DescribeReopen = () =>
  describeAct('Open a difference again, or take back that it be written off', 'reopenBreak', []);

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
