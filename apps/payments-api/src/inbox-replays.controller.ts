import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { REPLAYED_MAX, replayEvent, replayRange } from '#operations/replay-events.js';
import { NeedsScope } from '#platform/auth.guard.js';
import { Core } from '#platform/core.js';
import { ProblemError } from '#platform/problem-error.js';
import { DescribeReplay, DescribeReplayRange } from './inbox-replays.openapi.js';
import { invalid, readAct, readRange } from './read-act.js';

/** News of the processor, to be applied once more. */
@Controller('v1/operations/inbox')
@NeedsScope('operations')
export class InboxReplaysController {
  constructor(private readonly core: Core) {}

  @Post('replay')
  @HttpCode(200)
  @DescribeReplayRange()
  async replayRange(@Req() request: FastifyRequest): Promise<object> {
    const { from, to, ...act } = readRange(request);
    const replayed = await replayRange(this.#inbox, { from, to }, act);
    if (replayed !== null) return { replayed };
    throw invalid('to', `More than ${REPLAYED_MAX} events came in that time: take a shorter one.`);
  }

  @Post(':event_id/replay')
  @HttpCode(200)
  @DescribeReplay()
  async replay(@Req() request: FastifyRequest, @Param('event_id') id: string): Promise<object> {
    const replayed = await replayEvent(this.#inbox, id, readAct(request));
    if (replayed !== null) return { replayed };
    throw new ProblemError({ code: 'not_found', detail: 'There is no event with this id.' });
  }

  get #inbox() {
    const { db, processor } = this.core.deps;
    return { db, processorName: processor.name };
  }
}
