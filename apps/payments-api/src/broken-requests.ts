import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { headersOfEveryAnswer } from '#platform/send-reply.js';
import { type Problem, renderProblem } from '#problems/problems.js';

/** A peer that was refused, and does not hang up, is hung up on. */
const LINGER_MS = 1_000;

/**
 * What Node refuses before there is a request: answered in our own form, and the connection closed.
 *
 * Bytes that break HTTP may follow requests that are whole and being worked on. Their own answers go out
 * then, since a refusal in their place would say of a payment that runs that nothing happened.
 */
export class BrokenRequests {
  /** Of each connection the requests that are not answered yet: a client may send several in a row. */
  readonly #running = new WeakMap<Socket, Set<IncomingMessage>>();
  readonly #broken = new WeakSet<Socket>();

  constructor(private readonly newRequestId: () => string) {}

  /** Has to be the first hook, so that a request is known before anything else can happen to it. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', ({ raw }, _response, done) => {
      const running = this.#running.get(raw.socket) ?? new Set();
      this.#running.set(raw.socket, running.add(raw));
      done();
    });
    fastify.addHook('onResponse', ({ raw }, _response, done) => {
      const { socket } = raw;
      this.#running.get(socket)?.delete(raw);
      // Its parser is lost: nothing more can be read.
      if (this.#broken.has(socket) && !this.#worksOn(socket)) hangUp(socket);
      done();
    });
  }

  answer(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    if (this.#worksOn(socket)) return void this.#broken.add(socket);
    const requestId = this.newRequestId();
    const { status, headers, body } = renderProblem(problemOf(error.code), requestId);
    const all = {
      ...headers,
      ...headersOfEveryAnswer(requestId),
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    hangUp(socket, `HTTP/1.1 ${status} Refused\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  }

  /** Whether a request that came whole still waits for its answer here. */
  #worksOn(socket: Socket): boolean {
    return [...(this.#running.get(socket) ?? [])].some(({ complete }) => complete);
  }
}

/** Says the last words. The pause lets them arrive: closing on bytes that nobody read resets the connection. */
function hangUp(socket: Socket, lastWords = ''): void {
  socket.end(lastWords);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return { code: 'headers_too_large' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { code: 'request_timeout' };
  return { code: 'validation_failed', detail: 'The request is not valid HTTP.' };
}
