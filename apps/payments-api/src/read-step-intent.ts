import type { FastifyRequest } from 'fastify';
import { deriveProcessorKey } from '#idempotency/processor-key.js';
import type { StepIntent, StepVerdict } from '#payments/intent.js';
import type { AccountLimits } from '#platform/account-limits.js';
import { callerOf } from '#platform/auth.guard.js';
import type { Core } from '#platform/core.js';
import type { Full } from './answer-keyed.js';
import type { Refused } from './judge-body.js';
import { isId } from './read-filters.js';
import { keyedRequest } from './read-keyed.js';
import { readKey, readOptionalBody } from './read-request.js';

/** A route on which something is done with a payment. */
export type StepRoute = {
  kind: StepIntent['kind'];
  route: string;
  judge: (body: unknown) => Asked | Refused;
};

/** What is asked for, once it has passed validation; null is what was left out. */
export type Asked = {
  kind: 'accepted';
  amount: number | null;
  currency: string | null;
  reason: string | null;
};

/**
 * Reads a request to capture, void or refund a payment, in the order of `readIntent`. Throws ProblemError for what
 * can be said without the key; validation, an id that is none, and limits are part of the withheld verdict.
 */
export function readStepIntent(
  { core, limits }: { core: Core; limits: AccountLimits },
  request: FastifyRequest,
  paymentId: string,
  { kind, route, judge }: StepRoute,
  full: Full,
): StepIntent {
  const { accountId } = callerOf(request);
  const body = readOptionalBody(request);
  const key = readKey(request);
  return {
    ...keyedRequest(core, request, { route, params: { id: paymentId }, body, key }),
    kind,
    paymentId,
    // A void's is derived from the payment, when it is claimed.
    processorKey: kind === 'void' ? null : deriveProcessorKey(accountId, kind, key),
    verdict: verdictOf(),
  };

  function verdictOf(): StepVerdict {
    const judged = judge(body);
    if (judged.kind === 'refused') return judged;
    if (!isId(paymentId)) return { kind: 'refused', problem: { code: 'payment_not_found' } };
    if (full !== null) return { kind: 'refused', problem: limits.problem(full) };
    return { ...judged, claimed: () => limits.claimed(accountId) };
  }
}
