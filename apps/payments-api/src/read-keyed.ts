import type { FastifyRequest } from 'fastify';
import { FINGERPRINT_VERSION, fingerprint, matchesFingerprint } from '#idempotency/fingerprint.js';
import { hashKey } from '#idempotency/processor-key.js';
import type { KeyedRequest } from '#payments/intent.js';
import { callerOf } from '#platform/auth.guard.js';
import type { Core } from '#platform/core.js';

/** What was read of a POST, before anybody judges it. */
export type Parts = {
  /** The route's template; a key belongs to one route. */
  route: string;
  params: Record<string, string>;
  /** As it was received, strictly parsed. */
  body: unknown;
  key: string;
};

/** Who asks, under which key, and what makes a later request the same. */
export function keyedRequest(
  core: Core,
  request: FastifyRequest,
  { route, params, body, key }: Parts,
): KeyedRequest {
  const { accountId, orderOnce } = callerOf(request);
  const fingerprinted = { method: 'POST', route, params, body };
  return {
    account: { id: accountId, orderOnce: orderOnce ?? core.config.orderOnce },
    requestId: request.id,
    operation: `POST ${route}`,
    keyHash: hashKey(key),
    fingerprint: fingerprint(fingerprinted),
    fingerprintVersion: FINGERPRINT_VERSION,
    matches: (version, stored) => matchesFingerprint(fingerprinted, version, stored),
  };
}
