import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reply } from '#payments/reply.js';
import { failpoint, failpointsArmed } from '#seams/failpoints.js';

/** What a request carries through its life besides Fastify's own. */
export type RequestFacts = {
  /** The idempotency key, unquoted, once it has been read: it is echoed on every answer. */
  idempotencyKey?: string;
  /** As it came. Nobody reads it before the caller is known. */
  contentType?: string;
  accountId?: string;
  operator?: string;
};

declare module 'fastify' {
  interface FastifyRequest {
    facts: RequestFacts;
  }
}

/** Sends the bytes of a reply as they are, with the headers that today's request adds. @keeps P3 */
export async function sendReply(
  request: FastifyRequest,
  response: FastifyReply,
  reply: Reply,
): Promise<void> {
  response.code(reply.status).headers({
    ...keyHeader(request),
    'content-type': reply.contentType,
    ...(reply.location === null ? {} : { location: reply.location }),
    ...(reply.retryAfterSeconds === null ? {} : { 'retry-after': String(reply.retryAfterSeconds) }),
    ...(reply.originalRequest === null
      ? {}
      : { 'idempotent-replayed': 'true', 'original-request': reply.originalRequest }),
  });
  if (failpointsArmed) return sendHalf(response, reply.body);
  await response.send(reply.body);
}

/** Headers of every answer, whoever makes it: set when the request comes in. */
export function headersOfEveryAnswer(requestId: string): Record<string, string> {
  return {
    'request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
}

/** The key of a request, echoed on its answer. */
export function keyHeader({ facts }: FastifyRequest): Record<string, string> {
  const key = facts?.idempotencyKey;
  return key === undefined ? {} : { 'idempotency-key': key };
}

/** With failpoints set, half of the body goes out before `c14` is passed. */
async function sendHalf(response: FastifyReply, body: Buffer): Promise<void> {
  const half = body.length >> 1;
  response.hijack();
  const headers = { ...response.getHeaders(), 'content-length': String(body.length) };
  response.raw.writeHead(response.statusCode, headers as Record<string, string>);
  await new Promise((resolve) => response.raw.write(body.subarray(0, half), resolve));
  await failpoint('c14');
  response.raw.end(body.subarray(half));
}
