import canonicalize from 'canonicalize';
import { createHash } from 'node:crypto';

/**
 * What makes two requests under one key the same request: method, route, route parameters and the
 * body as received, before any default or transformation, so that a deploy between a try and its
 * retry changes nothing. Account and credential stay out: the look-up carries the account.
 *
 * The whole is one RFC 8785 array, which frames its parts without ambiguity and makes white space,
 * order of members and spelling of numbers and escapes irrelevant. Text is compared as it is: two
 * Unicode forms of one word are two bodies.
 */
export function fingerprint(request: FingerprintedRequest): Buffer {
  return digest(request, FINGERPRINT_VERSION);
}

export type FingerprintedRequest = {
  method: string;
  /** The template, `/v1/payments/:id/capture`. */
  route: string;
  params: Record<string, string>;
  /** As the strict parser gave it. */
  body: unknown;
};

/** Stored beside each fingerprint: a row is compared by the version that made it. */
export const FINGERPRINT_VERSION = 1;

/** What each version hashes. A changed way is a new number; the old ones stay, since rows do. */
const HASHED: Record<number, (request: FingerprintedRequest) => unknown> = {
  1: ({ method, route, params, body }) => [1, method, route, params, body],
};

/** Whether a stored fingerprint is that of this request. One of a version that we do not know is of no request. */
export function matchesFingerprint(
  request: FingerprintedRequest,
  version: number,
  stored: Buffer,
): boolean {
  return HASHED[version] !== undefined && digest(request, version).equals(stored);
}

function digest(request: FingerprintedRequest, version: number): Buffer {
  // RFC 8785 has no undefined: it would be hashed as null, and an absent body would equal a null one.
  if (request.body === undefined) throw new Error('Bug: a fingerprint needs a body.');
  const canonical = canonicalize(HASHED[version]?.(request));
  return createHash('sha256').update(String(canonical), 'utf8').digest();
}
