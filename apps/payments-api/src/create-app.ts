import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import type { Core } from '#platform/core.js';
import { ProblemFilter } from '#platform/problem.filter.js';
import { headersOfEveryAnswer } from '#platform/send-reply.js';
import { type Problem, renderProblem } from '#problems/problems.js';
import { AppModule } from './app.module.js';
import { allowedMethods } from './allowed-methods.js';
import { serveOpenApi } from './openapi.js';

const BODY_BYTES_MAX = 1_048_576;

/** Limits against slow and endless clients. Node's defaults would let a header take a minute. */
const HTTP_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
};

/** Builds the API around an open core. It does not listen yet. */
export async function createApp(core: Core): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_BYTES_MAX,
    genReqId: () => `req_${core.deps.random.uuid()}`,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: HTTP_LIMITS,
    requestTimeout: HTTP_LIMITS.requestTimeout,
    keepAliveTimeout: HTTP_LIMITS.keepAliveTimeout,
    routerOptions: { maxParamLength: 100 },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      answerBrokenRequest(error, socket, `req_${core.deps.random.uuid()}`),
  } as ConstructorParameters<typeof FastifyAdapter>[0]);
  const fastify = adapter.getInstance<FastifyInstance>();
  const methodsOf = allowedMethods(fastify);
  fastify.decorateRequest('facts', null as unknown as FastifyRequest['facts']);
  fastify.addHook('onRequest', async (request, response) => {
    request.facts = {};
    response.headers(headersOfEveryAnswer(request.id));
  });
  logRequests(fastify, core);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.around(core), adapter, {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  // Every body stays bytes: only the strict parser reads it, and only after authentication.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.useGlobalFilters(new ProblemFilter(core.log, methodsOf));
  serveOpenApi(app, core.config);
  await app.init();
  await fastify.ready();
  return app;
}

function logRequests(fastify: FastifyInstance, { log }: Core): void {
  fastify.addHook('onResponse', async (request, response) => {
    log.info('request', {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: response.statusCode,
      ms: Math.round(response.elapsedTime * 10) / 10,
      account_id: request.facts?.accountId,
      replayed: response.getHeader('idempotent-replayed') === 'true' || undefined,
    });
  });
}

/** What Node refuses before there is a request: answered in our own form, and the connection closed. */
function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  requestId: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, headers, body } = renderProblem(problemOf(error.code), requestId);
  const all = {
    ...headers,
    ...headersOfEveryAnswer(requestId),
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return { code: 'headers_too_large' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { code: 'request_timeout' };
  return { code: 'validation_failed', detail: 'The request is not valid HTTP.' };
}
