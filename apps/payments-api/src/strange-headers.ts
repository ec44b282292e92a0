import type { FastifyInstance } from 'fastify';
import { renderProblem } from '#problems/problems.js';

/**
 * A request names exactly one host (RFC 9112, 3.2). One with two could mean one server to a proxy and another to
 * us. It is answered before anything else is looked at.
 */
export function refuseStrangeHosts(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', async (request, response) => {
    const { rawHeaders, httpVersion } = request.raw;
    const count = rawHeaders.filter((name, at) => at % 2 === 0 && isHost(name)).length;
    if (count === 1 || (count === 0 && httpVersion === '1.0')) return;
    const detail = 'The request is not valid HTTP: it must name one host.';
    const { status, headers, body } = renderProblem(
      { code: 'validation_failed', detail },
      request.id,
    );
    return response.code(status).headers(headers).send(Buffer.from(body));
  });
}

/**
 * What `Expect` asks for. `100-continue` is said at once, but not behind a request that still waits for its answer on
 * the same connection: Node would write it into the middle of that answer. An expectation that nobody knows means
 * nothing to us; Node would refuse it in words of its own.
 */
export function meetExpectations({ server }: FastifyInstance): void {
  server.on('checkContinue', (request, response) => {
    if (response.socket !== null) response.writeContinue();
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}
