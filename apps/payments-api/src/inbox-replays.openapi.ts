import { applyDecorators } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { REPLAYED_MAX } from '#operations/replay-events.js';
import { ACT_PROBLEMS, ActDto, INSTANT } from './operations.openapi.js';
import { problems } from './payments.openapi.js';

class ReplayRangeDto extends ActDto {
  @ApiProperty({ ...INSTANT, description: 'Events that were stored from this instant on' })
  from: string;

  @ApiProperty({ ...INSTANT, description: 'and before this one.' })
  to: string;
}

class ReplayedDto {
  @ApiProperty({
    type: 'integer',
    description: 'Events that were set back. One that a worker has in its hands is left alone.',
  })
  replayed: number;
}

export const DescribeReplay = () =>
  applyDecorators(
    ApiTags('operations'),
    ApiBearerAuth(),
    ApiOperation({
      summary: "Apply one of the processor's events again",
      operationId: 'replayEvent',
    }),
    ApiParam({ name: 'event_id', description: "The processor's id of the event." }),
    ApiBody({ type: ActDto }),
    ApiResponse({ status: 200, type: ReplayedDto }),
    ...problems(['not_found', ...ACT_PROBLEMS]),
  );

export const DescribeReplayRange = () =>
  applyDecorators(
    ApiTags('operations'),
    ApiBearerAuth(),
    ApiOperation({
      summary: 'Apply all events of a time again',
      description: `At most ${REPLAYED_MAX} at once.`,
      operationId: 'replayEvents',
    }),
    ApiBody({ type: ReplayRangeDto }),
    ApiResponse({ status: 200, type: ReplayedDto }),
    ...problems(ACT_PROBLEMS),
  );
