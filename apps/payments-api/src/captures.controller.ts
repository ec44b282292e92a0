import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { runStep } from '#payments/run-step.js';
import { AccountLimits } from '#platform/account-limits.js';
import { NeedsScope } from '#platform/auth.guard.js';
import { Core } from '#platform/core.js';
import { answerKeyed } from './answer-keyed.js';
import { CaptureDto } from './capture.dto.js';
import { DescribeCapture } from './captures.openapi.js';
import { bodyJudge } from './judge-body.js';
import { readPatience } from './read-prefer.js';
import { type StepRoute, readStepIntent } from './read-step-intent.js';

const judgeCapture = bodyJudge(CaptureDto);
const CAPTURE: StepRoute = {
  kind: 'capture',
  route: '/v1/payments/:id/capture',
  judge: (body) => {
    const judged = judgeCapture(body);
    if (judged.kind === 'refused') return judged;
    return { kind: 'accepted', amount: judged.dto.amount ?? null, currency: null, reason: null };
  },
};

@Controller('v1/payments')
export class CapturesController {
  constructor(
    readonly core: Core,
    readonly limits: AccountLimits,
  ) {}

  @Post(':id/capture')
  @HttpCode(200)
  @NeedsScope('payments:write')
  @DescribeCapture()
  async capture(
    @Req() request: FastifyRequest,
    @Res() response: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    await answerKeyed(this, request, response, {
      preference: readPatience(request.raw.rawHeaders),
      read: (full) => readStepIntent(this, request, id, CAPTURE, full),
      run: (intent) => runStep(this.core.deps, intent),
    });
  }
}
