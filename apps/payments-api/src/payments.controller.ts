import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accountOfPayment, listAllPayments } from '#payments/read-all-accounts.js';
import { listPayments, readPayment, readTimeline } from '#payments/read-payments.js';
import { lookUpPayment } from '#payments/look-up-payment.js';
import { takePayment } from '#payments/take-payment.js';
import { AccountLimits } from '#platform/account-limits.js';
import { NeedsScope, OperatorsRead, readerOf } from '#platform/auth.guard.js';
import { Core } from '#platform/core.js';
import { ProblemError } from '#platform/problem-error.js';
import { answerKeyed } from './answer-keyed.js';
import {
  DescribeCreate,
  DescribeList,
  DescribeRead,
  DescribeTimeline,
} from './payments.openapi.js';
import { readFilters, readPaymentId } from './read-filters.js';
import { readPrefer } from './read-prefer.js';
import { readIntent } from './read-intent.js';

@Controller('v1/payments')
export class PaymentsController {
  constructor(
    readonly core: Core,
    readonly limits: AccountLimits,
  ) {}

  @Post()
  @NeedsScope('payments:write')
  @DescribeCreate()
  async create(@Req() request: FastifyRequest, @Res() response: FastifyReply): Promise<void> {
    await answerKeyed(this, request, response, {
      preference: readPrefer(request.raw.rawHeaders),
      read: (full) => readIntent(this.core, request, this.limits, full),
      run: (intent) => takePayment(this.core.deps, intent),
    });
  }

  @Get()
  @NeedsScope('payments:read')
  @OperatorsRead()
  @DescribeList()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const reader = readerOf(request);
    const filters = readFilters(request);
    return reader.kind === 'operator'
      ? listAllPayments(this.#reads, reader.mode, filters)
      : listPayments(this.#reads, reader.accountId, filters);
  }

  @Get(':id')
  @NeedsScope('payments:read')
  @OperatorsRead()
  @DescribeRead()
  async read(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    const accountId = await this.#accountOf(request, readPaymentId(id));
    await lookUpPayment(this.core.deps, accountId, id, request.id);
    return orNotFound(await readPayment(this.#reads, accountId, id));
  }

  @Get(':id/timeline')
  @NeedsScope('payments:read')
  @OperatorsRead()
  @DescribeTimeline()
  async timeline(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    const accountId = await this.#accountOf(request, readPaymentId(id));
    return orNotFound(await readTimeline(this.#reads, accountId, id));
  }

  /** Whose payment is read: the caller's own, or, for an operator, that of the account which has it. */
  async #accountOf(request: FastifyRequest, id: string): Promise<string> {
    const reader = readerOf(request);
    if (reader.kind === 'account') return reader.accountId;
    return orNotFound(await accountOfPayment(this.core.deps.db, reader.mode, id));
  }

  get #reads() {
    return { db: this.core.deps.db, source: this.core.source };
  }
}

/** "Not yours" and "not there" are one answer. @keeps P8 */
function orNotFound<T>(found: T | null): T {
  if (found === null) throw new ProblemError({ code: 'payment_not_found' });
  return found;
}
