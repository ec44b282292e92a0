import type { FastifyRequest } from 'fastify';
import { FINGERPRINT_VERSION, fingerprint, matchesFingerprint } from '#idempotency/fingerprint.js';
import { deriveProcessorKey, hashKey } from '#idempotency/processor-key.js';
import type { Intent, Verdict } from '#payments/intent.js';
import type { AccountLimits } from '#platform/account-limits.js';
import { callerOf } from '#platform/auth.guard.js';
import type { AccountCaller } from '#platform/authenticator.js';
import type { Core } from '#platform/core.js';
import { readPrefer } from './read-prefer.js';
import { readBody, readKey } from './read-request.js';
import { judgeOrder } from './judge-order.js';

type Full = ReturnType<AccountLimits['enter']>['full'];

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
  const operation = { method: 'POST', route: '/v1/payments' };
  const body = readBody(request);
  const key = readKey(request);
  const fingerprinted = { ...operation, params: {}, body };
  return {
    account: { id: caller.accountId, orderOnce: caller.orderOnce ?? core.config.orderOnce },
    requestId: request.id,
    operation: `${operation.method} ${operation.route}`,
    keyHash: hashKey(key),
    processorKey: deriveProcessorKey(caller.accountId, 'charge', key),
    fingerprint: fingerprint(fingerprinted),
    fingerprintVersion: FINGERPRINT_VERSION,
    matches: (version, stored) => matchesFingerprint(fingerprinted, version, stored),
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
