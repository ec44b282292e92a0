import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readIdempotencyKey } from '#idempotency/key-spelling.js';
import { deriveProcessorKey, hashKey } from '#idempotency/processor-key.js';
import { cancelByKey, cancelPayment } from '#payments/cancel-payment.js';
import { AccountLimits } from '#platform/account-limits.js';
import { NeedsScope, callerOf } from '#platform/auth.guard.js';
import { Core } from '#platform/core.js';
import { ProblemError } from '#platform/problem-error.js';
import { sendReply } from '#platform/send-reply.js';
import { answerKeyed } from './answer-keyed.js';
import { DescribeCancel, DescribeCancelByKey } from './cancellations.openapi.js';
import { readPaymentId } from './read-filters.js';
import { readPatience } from './read-prefer.js';
import { readBody } from './read-request.js';
import { type StepRoute, readStepIntent } from './read-step-intent.js';

const CANCEL: StepRoute = {
  kind: 'void',
  route: '/v1/payments/:id/cancel',
  judge: (body) => {
    refuseMembers(body, []);
    return { kind: 'accepted', amount: null, currency: null, reason: null };
  },
};

@Controller('v1')
export class CancellationsController {
  constructor(
    readonly core: Core,
    readonly limits: AccountLimits,
  ) {}

  @Post('payments/:id/cancel')
  @HttpCode(200)
  @NeedsScope('payments:write')
  @DescribeCancel()
  async cancel(
    @Req() request: FastifyRequest,
    @Res() response: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    await answerKeyed(this, request, response, {
      preference: readPatience(request.raw.rawHeaders),
      read: (full) => {
        const intent = readStepIntent(this, request, id, CANCEL, full);
        return { ...intent, paymentId: readPaymentId(id) };
      },
      run: (intent) => cancelPayment(this.core.deps, intent),
    });
  }

  @Post('cancellations')
  @HttpCode(200)
  @NeedsScope('payments:write')
  @DescribeCancelByKey()
  async cancelByKey(@Req() request: FastifyRequest, @Res() response: FastifyReply): Promise<void> {
    const body = readBody(request);
    refuseMembers(body, ['idempotency_key']);
    const { accountId } = callerOf(request);
    const key = keyNamedBy(body as { idempotency_key?: unknown });
    const keyHash = hashKey(key);
    const processorKey = deriveProcessorKey(accountId, 'charge', key);
    const newKeys = {
      refuse: () => this.limits.refuseNewKey(accountId),
      claimed: () => this.limits.claimed(accountId),
    };
    const asked = { accountId, keyHash, processorKey, requestId: request.id, newKeys };
    await sendReply(request, response, await cancelByKey(this.core.deps, asked));
  }
}

/** The key in the body is spelt as in the header, bare or quoted. */
function keyNamedBy({ idempotency_key: text }: { idempotency_key?: unknown }): string {
  const read =
    typeof text === 'string' ? readIdempotencyKey(['Idempotency-Key', text]) : { kind: 'missing' };
  if (read.kind === 'key' && 'key' in read) return read.key;
  throw invalid('idempotency_key', 'idempotency_key must be 1 to 255 printable ASCII characters.');
}

function refuseMembers(body: unknown, known: readonly string[]): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid(null, 'The body must be a JSON object.');
  }
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalid(unknown, `${unknown} is not a known field.`);
}

function invalid(param: string | null, detail: string): ProblemError {
  return new ProblemError({ code: 'validation_failed', param, detail });
}
