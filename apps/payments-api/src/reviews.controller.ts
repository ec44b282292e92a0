import { Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { listReviews, readReview } from '#operations/list-reviews.js';
import { readPayment } from '#payments/read-payments.js';
import {
  type Asked,
  type Reviewed,
  lookUpReviewed,
  resolveAsHappened,
  resolveAsNotHappened,
} from '#payments/review-operation.js';
import { NeedsScope, operatorOf } from '#platform/auth.guard.js';
import { Core } from '#platform/core.js';
import { ProblemError } from '#platform/problem-error.js';
import { DescribeLookUp, DescribeResolve, DescribeReviews } from './reviews.openapi.js';
import { noSuchOperation, readAct, readOperationId, readResolve } from './read-act.js';
import { readPaging } from './read-filters.js';

/** The review queue: what recovery has tried often enough, for a person to settle. */
@Controller('v1/operations/reviews')
@NeedsScope('operations')
export class ReviewsController {
  constructor(private readonly core: Core) {}

  @Get()
  @DescribeReviews()
  async list(@Req() request: FastifyRequest): Promise<object> {
    return listReviews(this.core.deps.db, operatorOf(request).mode, readPaging(request));
  }

  @Post(':operation_id/lookup')
  @HttpCode(200)
  @DescribeLookUp()
  async lookUp(@Req() request: FastifyRequest, @Param('operation_id') id: string): Promise<object> {
    const asked = { ...readAct(request), operationId: readOperationId(id) };
    return this.#standing(asked, await lookUpReviewed(this.core.deps, asked));
  }

  @Post(':operation_id/resolve')
  @HttpCode(200)
  @DescribeResolve()
  async resolve(
    @Req() request: FastifyRequest,
    @Param('operation_id') id: string,
  ): Promise<object> {
    const { resolution, ...act } = readResolve(request);
    const asked = { ...act, operationId: readOperationId(id) };
    const { deps } = this.core;
    const reviewed =
      resolution.as === 'happened'
        ? await resolveAsHappened(deps, asked, resolution.processorId)
        : await resolveAsNotHappened(deps, asked);
    return this.#standing(asked, reviewed);
  }

  /** How the operation stands after the act, with its payment as it is today. */
  async #standing({ operationId, mode }: Asked, reviewed: Reviewed): Promise<object> {
    if (reviewed.kind !== 'done') throw problemOf(reviewed);
    const { deps, source } = this.core;
    const review = await readReview(deps.db, mode, operationId);
    const { accountId, paymentId } = reviewed;
    const payment = await readPayment({ db: deps.db, source }, accountId, paymentId);
    const standing = review === null ? 'resolved' : 'in_review';
    return { operation_id: operationId, standing, review, payment };
  }
}

function problemOf(reviewed: Exclude<Reviewed, { kind: 'done' }>): ProblemError {
  switch (reviewed.kind) {
    case 'not_found':
      return noSuchOperation();
    case 'not_in_review':
      return new ProblemError({ code: 'operation_not_in_review' });
    case 'in_progress': {
      const detail = 'Somebody is working on this operation at this moment. Ask again in a second.';
      return new ProblemError({ code: 'payment_in_progress', detail });
    }
    case 'not_confirmed':
      return new ProblemError({ code: 'proof_not_confirmed', detail: `${reviewed.detail}.` });
  }
}
