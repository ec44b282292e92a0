import type { FastifyRequest } from 'fastify';
import { FINGERPRINT_VERSION, fingerprint } from '#idempotency/fingerprint.js';
import { readIdempotencyKey } from '#idempotency/key-spelling.js';
import { deriveProcessorKey, hashKey } from '#idempotency/processor-key.js';
import { JsonProblem, parseStrictJson } from '#json/strict-json.js';
import type { Intent, Verdict } from '#payments/intent.js';
import type { AccountLimits } from '#platform/account-limits.js';
import { callerOf } from '#platform/auth.guard.js';
import type { Caller } from '#platform/authenticator.js';
import type { Core } from '#platform/core.js';
import { ProblemError } from '#platform/problem-error.js';
import type { Problem } from '#problems/problems.js';
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
  return {
    account: { id: caller.accountId, orderOnce: caller.orderOnce ?? core.config.orderOnce },
    requestId: request.id,
    operation: `${operation.method} ${operation.route}`,
    keyHash: hashKey(key),
    processorKey: deriveProcessorKey(caller.accountId, 'charge', key),
    fingerprint: fingerprint({ ...operation, params: {}, body }),
    fingerprintVersion: FINGERPRINT_VERSION,
    verdict: await judge(core, caller, body, limits, full),
  };
}

async function judge(
  { deps }: Core,
  caller: Caller,
  body: unknown,
  limits: AccountLimits,
  full: Full,
): Promise<Verdict> {
  const judged = judgeOrder(body, deps.processor.name);
  if (judged.kind === 'refused') return judged;
  if (full !== null) return { kind: 'refused', problem: tooMany(full, limits) };
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

function tooMany(full: 'in_flight' | 'new_keys', limits: AccountLimits): Problem {
  return full === 'in_flight'
    ? {
        code: 'rate_limited',
        detail: 'Too many payments of this account are in flight.',
        retryAfterSeconds: 1,
      }
    : {
        code: 'rate_limited',
        detail: 'This account has used too many new keys within a minute.',
        retryAfterSeconds: limits.retryAfterSeconds(),
      };
}

const JSON_MEDIA_TYPE = /^application\/json *(; *charset *= *"?utf-8"? *)?$/i;

function readBody(request: FastifyRequest): unknown {
  const { headers } = request;
  const encoding = headers['content-encoding'];
  if (!JSON_MEDIA_TYPE.test(headers['content-type'] ?? '')) {
    const detail = 'The body must be sent as application/json (in UTF-8).';
    throw new ProblemError({ code: 'unsupported_media_type', detail });
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    const detail = 'The body must be sent without Content-Encoding.';
    throw new ProblemError({ code: 'unsupported_media_type', detail });
  }
  try {
    return parseStrictJson((request.body as Buffer | undefined) ?? Buffer.alloc(0));
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    throw new ProblemError({ code: error.code, detail: error.message, param: error.param });
  }
}

function readKey(request: FastifyRequest): string {
  const read = readIdempotencyKey(request.raw.rawHeaders);
  switch (read.kind) {
    case 'key':
      request.facts.idempotencyKey = read.key;
      return read.key;
    case 'missing':
      throw new ProblemError({ code: 'idempotency_key_missing' });
    case 'invalid':
      throw new ProblemError({ code: 'idempotency_key_invalid', detail: read.detail });
    case 'duplicated':
      throw new ProblemError({ code: 'idempotency_key_duplicated' });
  }
}
