import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import type { Core } from '#platform/core.js';
import { ProblemFilter } from '#platform/problem.filter.js';
import { headersOfEveryAnswer } from '#platform/send-reply.js';
import { renderProblem } from '#problems/problems.js';
import { AppModule } from './app.module.js';
import { allowedMethods } from './allowed-methods.js';
import { BrokenRequests } from './broken-requests.js';
import { drainRefusedBodies } from './drain-refused-bodies.js';
import { meetExpectations, refuseStrangeHosts } from './strange-headers.js';
import { serveOpenApi } from './openapi.js';

const BODY_BYTES_MAX = 1_048_576;

/** Limits against slow and endless clients. Node's defaults would let a header take a minute. */
const HTTP_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
  // Node would refuse a request without Host in words of its own; `refuseStrangeHosts` does it in ours.
  requireHostHeader: false,
};

/** Builds the API around an open core. It does not listen yet. */
export async function createApp(core: Core): Promise<NestFastifyApplication> {
  const newRequestId = () => `req_${core.deps.random.uuid()}`;
  const broken = new BrokenRequests(newRequestId);
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_BYTES_MAX,
    genReqId: newRequestId,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: HTTP_LIMITS,
    requestTimeout: HTTP_LIMITS.requestTimeout,
    keepAliveTimeout: HTTP_LIMITS.keepAliveTimeout,
    routerOptions: { maxParamLength: 100 },
    frameworkErrors: refuseAddress,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      broken.answer(error, socket),
  } as ConstructorParameters<typeof FastifyAdapter>[0]);
  const fastify = adapter.getInstance<FastifyInstance>();
  const methodsOf = allowedMethods(fastify);
  broken.watch(fastify);
  fastify.decorateRequest('facts', null as unknown as FastifyRequest['facts']);
  fastify.addHook('onRequest', async (request, response) => {
    request.facts = takeContentType(request);
    response.headers(headersOfEveryAnswer(request.id));
  });
  refuseStrangeHosts(fastify);
  meetExpectations(fastify);
  drainRefusedBodies(fastify);
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

/** Fastify would answer one that it cannot read itself, before it is known who asks. Our own look at it comes later. */
function takeContentType({ raw: { headers } }: FastifyRequest): FastifyRequest['facts'] {
  const { 'content-type': contentType } = headers;
  if (contentType === undefined) return {};
  headers['content-type'] = 'application/octet-stream';
  return { contentType };
}

/** An address that cannot be decoded, or an id far too long. Fastify would repeat it in words of its own. */
function refuseAddress(_error: FastifyError, { id }: FastifyRequest, response: FastifyReply): void {
  const { status, headers, body } = renderProblem({ code: 'not_found' }, id);
  response.code(status).headers({ ...headersOfEveryAnswer(id), ...headers });
  void response.send(Buffer.from(body));
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
      operator: request.facts?.operator,
      replayed: response.getHeader('idempotent-replayed') === 'true' || undefined,
    });
  });
}
