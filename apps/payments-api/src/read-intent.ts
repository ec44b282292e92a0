import type { FastifyRequest } from 'fastify';
import { deriveProcessorKey } from '#idempotency/processor-key.js';
import type { Intent, Verdict } from '#payments/intent.js';
import type { AccountLimits } from '#platform/account-limits.js';
import { callerOf } from '#platform/auth.guard.js';
import type { AccountCaller } from '#platform/authenticator.js';
import type { Core } from '#platform/core.js';
import type { Full } from './answer-keyed.js';
import { judgeOrder } from './judge-order.js';
import { keyedRequest } from './read-keyed.js';
import { readPrefer } from './read-prefer.js';
import { readBody, readKey } from './read-request.js';

/**
 * Reads a request to take a payment, in the order that the design fixes: media type, strict parse, key
 * syntax; then validation and limits, whose verdict is withheld until the key has been looked up.
 * Throws ProblemError for what can be said without the key.
 */
export async function readIntent(
  core: Core,
  request: FastifyRequest,
  limits: AccountLimits,
  full: Full,
): Promise<Intent> {
  const caller = callerOf(request);
  const body = readBody(request);
  const key = readKey(request);
  return {
    ...keyedRequest(core, request, { route: '/v1/payments', params: {}, body, key }),
    processorKey: deriveProcessorKey(caller.accountId, 'charge', key),
    queue: readPrefer(request.raw.rawHeaders).respondAsync,
    verdict: await judge(core, caller, body, limits, full),
  };
}

async function judge(
  { deps }: Core,
  caller: AccountCaller,
  body: unknown,
  limits: AccountLimits,
  full: Full,
): Promise<Verdict> {
  const judged = judgeOrder(body, deps.processor.name);
  if (judged.kind === 'refused') return judged;
  if (full !== null) return { kind: 'refused', problem: limits.problem(full) };
  const timeoutMs = deps.terms.processorTimeoutMs;
  const processorAccount = await deps.processor.account({ timeoutMs });
  if (processorAccount === null) {
    const detail =
      'Nothing was claimed and nothing was sent: the card processor cannot be reached.';
    return { kind: 'refused', problem: { code: 'processor_unavailable', detail } };
  }
  const claimed = () => limits.claimed(caller.accountId);
  return { kind: 'accepted', order: judged.order, processorAccount, claimed };
}
