import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accountOfPayment, listAllPayments } from '#payments/read-all-accounts.js';
import { listPayments, readPayment, readTimeline } from '#payments/read-payments.js';
import type { Intent } from '#payments/intent.js';
import { lookUpPayment } from '#payments/look-up-payment.js';
import { type Taking, takePaymentWithin } from '#payments/take-payment-within.js';
import { takePayment } from '#payments/take-payment.js';
import { AccountLimits } from '#platform/account-limits.js';
import { NeedsScope, OperatorsRead, callerOf, readerOf } from '#platform/auth.guard.js';
import { Core } from '#platform/core.js';
import { ProblemError } from '#platform/problem-error.js';
import { sendReply } from '#platform/send-reply.js';
import { failpoint } from '#seams/failpoints.js';
import {
  DescribeCreate,
  DescribeList,
  DescribeRead,
  DescribeTimeline,
} from './payments.openapi.js';
import { readFilters, readPaymentId } from './read-filters.js';
import { type Preference, appliedPreference, readPrefer } from './read-prefer.js';
import { readIntent } from './read-intent.js';

@Controller('v1/payments')
export class PaymentsController {
  constructor(
    private readonly core: Core,
    private readonly limits: AccountLimits,
  ) {}

  @Post()
  @NeedsScope('payments:write')
  @DescribeCreate()
  async create(@Req() request: FastifyRequest, @Res() response: FastifyReply): Promise<void> {
    await failpoint('c1');
    const { full, leave } = this.limits.enter(callerOf(request).accountId);
    let work: Promise<unknown> = Promise.resolve();
    try {
      const intent = await readIntent(this.core, request, this.limits, full);
      if (hasGone(request)) return this.#leaveUnclaimed(request, response);
      const preference = readPrefer(request.raw.rawHeaders);
      const taking = this.#take(intent, preference);
      ({ work } = taking);
      this.core.deps.background.add(work); // also when its caller hangs up from now on
      const reply = await taking.reply;
      const applied = appliedPreference(preference, reply.status);
      if (applied !== null) response.header('preference-applied', applied);
      await sendReply(request, response, reply);
    } finally {
      // In flight until its work ends, which may outlive the answer: else `wait=0` would know no limit.
      void work.then(leave, leave);
    }
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

  /** Nobody can hear the answer, and nothing was begun: nothing is. @keeps P9 */
  #leaveUnclaimed(request: FastifyRequest, response: FastifyReply): void {
    this.core.log.info('caller_gone', { request_id: request.id });
    response.hijack();
  }

  #take(intent: Intent, { respondAsync, waitSeconds }: Preference): Taking {
    const { deps } = this.core;
    if (!respondAsync && waitSeconds !== null) {
      return takePaymentWithin(deps, intent, waitSeconds * 1_000);
    }
    const work = takePayment(deps, intent);
    return { work, reply: work };
  }

  get #reads() {
    return { db: this.core.deps.db, source: this.core.source };
  }
}

/** A caller who closed its side is answered no more: Node ends the connection then. */
function hasGone({ raw }: FastifyRequest): boolean {
  return !raw.socket.writable;
}

/** "Not yours" and "not there" are one answer. @keeps P8 */
function orNotFound<T>(found: T | null): T {
  if (found === null) throw new ProblemError({ code: 'payment_not_found' });
  return found;
}
