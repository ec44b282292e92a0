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
export function fingerprint(input: {
  method: string;
  /** The template, `/v1/payments/:id/capture`. */
  route: string;
  params: Record<string, string>;
  /** As the strict parser gave it. */
  body: unknown;
}): Buffer {
  // RFC 8785 has no undefined: it would be hashed as null, and an absent body would equal a null one.
  if (input.body === undefined) throw new Error('Bug: a fingerprint needs a body.');
  const { method, route, params, body } = input;
  const canonical = canonicalize([FINGERPRINT_VERSION, method, route, params, body]);
  return createHash('sha256').update(String(canonical), 'utf8').digest();
}

/** Stored beside each fingerprint: a row is compared by the version that made it. */
export const FINGERPRINT_VERSION = 1;
