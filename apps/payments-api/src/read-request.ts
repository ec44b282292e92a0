import type { FastifyRequest } from 'fastify';
import { readIdempotencyKey } from '#idempotency/key-spelling.js';
import { JsonProblem, parseStrictJson } from '#json/strict-json.js';
import { ProblemError } from '#platform/problem-error.js';

const JSON_MEDIA_TYPE = /^application\/json *(; *charset *= *"?utf-8"? *)?$/i;

/** The body, strictly parsed. Throws a problem for another media type, and for JSON that can be read in two ways. */
export function readBody(request: FastifyRequest): unknown {
  const { headers } = request;
  const encoding = headers['content-encoding'];
  if (!JSON_MEDIA_TYPE.test(request.facts.contentType ?? '')) {
    const detail = 'The body must be sent as application/json (in UTF-8).';
    throw new ProblemError({ code: 'unsupported_media_type', detail });
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    const detail = 'The body must be sent without Content-Encoding.';
    throw new ProblemError({ code: 'unsupported_media_type', detail });
  }
  return parseBody((request.body as Buffer | undefined) ?? Buffer.alloc(0));
}

/** Bytes, strictly parsed, whatever they call themselves. Throws a problem. */
export function parseBody(bytes: Buffer): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    throw new ProblemError({ code: error.code, detail: error.message, param: error.param });
  }
}

/** The idempotency key, as the caller spelt it. Throws a problem if there is none, or not exactly one. */
export function readKey(request: FastifyRequest): string {
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

/** For routes whose body may be left out: nothing, without a Content-Type, is `{}`. */
export function readOptionalBody(request: FastifyRequest): unknown {
  const empty = ((request.body as Buffer | undefined)?.length ?? 0) === 0;
  return empty && request.facts.contentType === undefined ? {} : readBody(request);
}
