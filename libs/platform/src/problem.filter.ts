import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  DatabaseUnavailable,
  StatementUnconfirmed,
  driverErrorOf,
  isConnectionLost,
  isOverload,
  isWorthRepeating,
} from '#postgres/errors.js';
import { type Problem, renderProblem } from '#problems/problems.js';
import type { Logger } from './logging.js';
import { ProblemError } from './problem-error.js';
import { headersOfEveryAnswer, keyHeader } from './send-reply.js';

/** Which methods a path answers to, for 405. */
export type AllowedMethods = (path: string) => string[];

/** Turns whatever was thrown into one problem. The only place that does. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly log: Logger,
    private readonly allowedMethods: AllowedMethods,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const response = http.getResponse<FastifyReply>();
    const allowed = isNotFound(error) ? this.allowedMethods(pathOf(request)) : [];
    const problem =
      allowed.length > 0 ? ({ code: 'method_not_allowed' } as const) : problemOf(error);
    if (problem.code === 'internal_error') {
      const stack = error instanceof Error ? error.stack : undefined;
      this.log.error('request_failed', { request_id: request.id, error: String(error), stack });
    } else if (problem.code === 'database_unavailable') {
      this.log.warning('database_unavailable', { request_id: request.id, error: String(error) });
    }
    const { status, headers, body } = renderProblem(problem, request.id);
    void response
      .code(status)
      .headers({
        // Fastify runs no hook for an address such as `*`.
        ...headersOfEveryAnswer(request.id),
        ...keyHeader(request),
        ...headers,
        ...(allowed.length > 0 ? { allow: allowed.join(', ') } : {}),
      })
      .send(Buffer.from(body));
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof DatabaseUnavailable || error instanceof StatementUnconfirmed) {
    return { code: 'database_unavailable' };
  }
  const cause = driverErrorOf(error);
  if (isWorthRepeating(cause) || isOverload(cause) || isConnectionLost(cause)) {
    return { code: 'database_unavailable' };
  }
  if (isNotFound(error)) return { code: 'not_found' };
  return frameworkProblem(error) ?? { code: 'internal_error' };
}

/** Fastify's own refusals, by its stable codes; Nest has wrapped them into exceptions of its own. */
function frameworkProblem(error: unknown): Problem | null {
  const { code, statusCode } = ((error as Error).cause ?? error) as {
    code?: string;
    statusCode?: number;
  };
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return {
      code: 'malformed_json',
      detail: 'The body does not have the length that Content-Length says.',
    };
  }
  const status = error instanceof HttpException ? error.getStatus() : statusCode;
  if (status === 413) return { code: 'body_too_large' };
  if (status === 415) return { code: 'unsupported_media_type' };
  if (status !== undefined && status >= 400 && status < 500) return { code: 'validation_failed' };
  return null;
}

function isNotFound(error: unknown): boolean {
  return error instanceof HttpException && error.getStatus() === 404;
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '/';
}
