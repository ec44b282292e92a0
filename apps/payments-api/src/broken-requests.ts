import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { headersOfEveryAnswer } from '#platform/send-reply.js';
import { type Problem, renderProblem } from '#problems/problems.js';

/**
 * What Node refuses before there is a request: answered in our own form, and the connection closed.
 *
 * Bytes that break HTTP may follow a request that is whole and being worked on. Its own answer goes out
 * then, since a refusal in its place would say of a payment that runs that nothing happened.
 */
export class BrokenRequests {
  readonly #running = new WeakMap<Socket, IncomingMessage>();
  readonly #broken = new WeakSet<Socket>();

  constructor(private readonly newRequestId: () => string) {}

  /** Has to be the first hook, so that a request is known before anything else can happen to it. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _response, done) => {
      this.#running.set(request.raw.socket, request.raw);
      done();
    });
    fastify.addHook('onResponse', (request, _response, done) => {
      const { socket } = request.raw;
      this.#running.delete(socket);
      if (this.#broken.has(socket)) socket.end(); // its parser is lost: nothing more can be read
      done();
    });
  }

  answer(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    if (this.#running.get(socket)?.complete) return void this.#broken.add(socket);
    const requestId = this.newRequestId();
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
}

function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return { code: 'headers_too_large' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { code: 'request_timeout' };
  return { code: 'validation_failed', detail: 'The request is not valid HTTP.' };
}
