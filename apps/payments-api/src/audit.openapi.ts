import { applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiProperty, ApiResponse, ApiTags } from '@nestjs/swagger';
import { DIFFERENCE_ACTS } from '#operations/settle-difference.js';
import { INSTANT, PAGING } from './operations.openapi.js';
import { COMMON_PROBLEMS, problems } from './payments.openapi.js';

class AuditRowDto {
  @ApiProperty(INSTANT)
  at: string;

  @ApiProperty({ description: "The operator's name, from their key.", example: 'Ann' })
  actor: string;

  @ApiProperty({
    enum: [
      'review.lookup',
      'review.resolve',
      'inbox.replay',
      'break.refund',
      ...DIFFERENCE_ACTS.map((act) => `break.${act}`),
    ],
  })
  action: string;

  @ApiProperty({ example: 'operation:01a233e6-aba2-79be-9656-082ea888f483' })
  target: string;

  @ApiProperty()
  reason: string;

  @ApiProperty({ type: 'object', additionalProperties: true })
  before: object;

  @ApiProperty({ type: 'object', additionalProperties: true })
  after: object;
}

class AuditListDto {
  @ApiProperty({ type: [AuditRowDto] })
  data: AuditRowDto[];

  @ApiProperty({ type: String, nullable: true })
  next: string | null;
}

export const DescribeAudit = () =>
  applyDecorators(
    ApiTags('operations'),
    ApiBearerAuth(),
    ApiOperation({ summary: 'What operators did, newest first', operationId: 'listAudit' }),
    ...PAGING,
    ApiResponse({ status: 200, type: AuditListDto }),
    ...problems(['validation_failed', ...COMMON_PROBLEMS]),
  );
