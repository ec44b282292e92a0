import { Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { listBreaks, readBreak } from '#operations/list-breaks.js';
import {
  type DifferenceAct,
  type DifferenceVerdict,
  REFUSED,
  settleDifference,
} from '#operations/settle-difference.js';
import { SETTLED_BY_WORD } from '#payments/break-kinds.js';
import { NOT_ACCEPTABLE } from '#payments/accept-late-success.js';
import { NOT_REFUNDABLE } from '#payments/refund-late-success.js';
import { type BreakAct, acceptBreak, refundBreak } from '#payments/settle-break.js';
import { NeedsScope, operatorOf } from '#platform/auth.guard.js';
import { Core } from '#platform/core.js';
import { ProblemError } from '#platform/problem-error.js';
import {
  DescribeAccept,
  DescribeApprove,
  DescribeBreaks,
  DescribeGiveBack,
  DescribeMatch,
  DescribeReopen,
  DescribeWriteOff,
} from './breaks.openapi.js';
import { noSuchBreak, readBreakAct, readBreakId } from './read-act.js';
import { readBreakFilters } from './read-filters.js';

/** Differences that somebody has to settle. What can be done with each depends on its kind. */
@Controller('v1/operations/breaks')
@NeedsScope('operations')
export class BreaksController {
  constructor(private readonly core: Core) {}

  @Get()
  @DescribeBreaks()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const filters = readBreakFilters(request);
    return listBreaks(this.core.deps.db, operatorOf(request).mode, filters);
  }

  @Post(':id/accept')
  @HttpCode(200)
  @DescribeAccept()
  async accept(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    const act = { ...readBreakAct(request), breakId: readBreakId(id) };
    const word = await this.#settle('accept', act);
    if (word.kind !== 'another_kind') return this.#told(word, act);
    const accepted = await acceptBreak(this.core.deps, this.core.config.orderOnce, act);
    switch (accepted.kind) {
      case 'accepted':
        return this.#standing(act);
      case 'not_found':
        throw noSuchBreak();
      case 'not_acceptable':
        throw notSettleable(NOT_ACCEPTABLE[accepted.because]);
      case 'order_taken':
        throw orderTaken(accepted.by);
    }
  }

  @Post(':id/refund')
  @HttpCode(200)
  @DescribeGiveBack()
  async refund(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    const act = { ...readBreakAct(request), breakId: readBreakId(id) };
    const ordered = await refundBreak(this.core.deps, act);
    switch (ordered.kind) {
      case 'queued':
      case 'there':
        return this.#standing(act);
      case 'not_found':
        throw noSuchBreak();
      case 'not_refundable':
        throw notSettleable(NOT_REFUNDABLE[ordered.because]);
    }
  }

  @Post(':id/match')
  @HttpCode(200)
  @DescribeMatch()
  match(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    return this.#byWord('match', request, id);
  }

  @Post(':id/write-off')
  @HttpCode(200)
  @DescribeWriteOff()
  writeOff(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    return this.#byWord('write-off', request, id);
  }

  @Post(':id/approve')
  @HttpCode(200)
  @DescribeApprove()
  approve(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    return this.#byWord('approve', request, id);
  }

  @Post(':id/reopen')
  @HttpCode(200)
  @DescribeReopen()
  reopen(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    return this.#byWord('reopen', request, id);
  }

  async #byWord(deed: DifferenceAct, request: FastifyRequest, id: string): Promise<object> {
    const act = { ...readBreakAct(request), breakId: readBreakId(id) };
    return this.#told(await this.#settle(deed, act), act);
  }

  #settle(deed: DifferenceAct, act: BreakAct): Promise<DifferenceVerdict> {
    return settleDifference(this.core.deps.db, deed, { ...act, kinds: SETTLED_BY_WORD });
  }

  #told(verdict: DifferenceVerdict, act: BreakAct): Promise<object> {
    switch (verdict.kind) {
      case 'done':
        return this.#standing(act);
      case 'not_found':
        throw noSuchBreak();
      case 'another_kind':
        throw notSettleable('money stands in suspense for it: it is accepted or given back');
      case 'refused':
        throw notSettleable(REFUSED[verdict.because]);
      case 'second_person_required':
        throw new ProblemError({ code: 'second_person_required' });
    }
  }

  async #standing({ breakId, mode }: BreakAct): Promise<object> {
    const standing = await readBreak(this.core.deps.db, mode, breakId);
    if (standing === null) throw noSuchBreak();
    return standing;
  }
}

function notSettleable(why: string): ProblemError {
  const detail = `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
  return new ProblemError({ code: 'break_not_settleable', detail });
}

function orderTaken(by: string | null): ProblemError {
  const detail = 'Another payment holds the order by now: this money can only be given back.';
  const extra = by === null ? {} : { payment_id: by };
  return new ProblemError({ code: 'order_already_paid', detail, extra });
}
