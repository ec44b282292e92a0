import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lookUpPayment } from '#payments/look-up-payment.js';
import { accountOfRefund, listAllRefunds } from '#payments/read-all-accounts.js';
import { findPendingRefund, listRefunds, readRefund } from '#payments/read-refunds.js';
import { runStep } from '#payments/run-step.js';
import { AccountLimits } from '#platform/account-limits.js';
import { NeedsScope, OperatorsRead, readerOf } from '#platform/auth.guard.js';
import { Core } from '#platform/core.js';
import { ProblemError } from '#platform/problem-error.js';
import { answerKeyed } from './answer-keyed.js';
import { CreateRefundDto } from './create-refund.dto.js';
import { bodyJudge } from './judge-body.js';
import { isId, readRefundFilters } from './read-filters.js';
import { readPatience } from './read-prefer.js';
import { type StepRoute, readStepIntent } from './read-step-intent.js';
import { DescribeListRefunds, DescribeReadRefund, DescribeRefund } from './refunds.openapi.js';

const judgeRefund = bodyJudge(CreateRefundDto);
const REFUND: StepRoute = {
  kind: 'refund',
  route: '/v1/payments/:id/refunds',
  judge: (body) => {
    const judged = judgeRefund(body);
    if (judged.kind === 'refused') return judged;
    const { amount = null, currency = null, reason = null } = judged.dto;
    return { kind: 'accepted', amount, currency, reason };
  },
};

@Controller('v1')
export class RefundsController {
  constructor(
    readonly core: Core,
    readonly limits: AccountLimits,
  ) {}

  @Post('payments/:id/refunds')
  @NeedsScope('payments:write')
  @DescribeRefund()
  async create(
    @Req() request: FastifyRequest,
    @Res() response: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    await answerKeyed(this, request, response, {
      preference: readPatience(request.raw.rawHeaders),
      read: (full) => readStepIntent(this, request, id, REFUND, full),
      run: (intent) => runStep(this.core.deps, intent),
    });
  }

  @Get('refunds')
  @NeedsScope('payments:read')
  @OperatorsRead()
  @DescribeListRefunds()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const reader = readerOf(request);
    const filters = readRefundFilters(request);
    return reader.kind === 'operator'
      ? listAllRefunds(this.#reads, reader.mode, filters)
      : listRefunds(this.#reads, reader.accountId, filters);
  }

  @Get('refunds/:id')
  @NeedsScope('payments:read')
  @OperatorsRead()
  @DescribeReadRefund()
  async read(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    const accountId = await this.#accountOf(request, id);
    const found = accountId && (await this.#readToday(accountId, id, request.id));
    if (!found) throw new ProblemError({ code: 'not_found' });
    return found;
  }

  /** Whose refund is read: the caller's own, or, for an operator, that of the account which has it. */
  async #accountOf(request: FastifyRequest, id: string): Promise<string | null> {
    const reader = readerOf(request);
    if (!isId(id)) return null;
    if (reader.kind === 'account') return reader.accountId;
    return accountOfRefund(this.core.deps.db, reader.mode, id);
  }

  /** One that nobody knows the end of is asked for at the processor first. */
  async #readToday(accountId: string, id: string, requestId: string): Promise<object | null> {
    const pending = await findPendingRefund(this.#reads, accountId, id);
    if (pending !== null) {
      const { paymentId, operationId } = pending;
      await lookUpPayment(this.core.deps, accountId, paymentId, requestId, operationId);
    }
    return readRefund(this.#reads, accountId, id);
  }

  get #reads() {
    return { db: this.core.deps.db, source: this.core.source };
  }
}
