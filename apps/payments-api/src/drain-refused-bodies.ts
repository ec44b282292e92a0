import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';

/** Who sends without end is answered none the less. */
const DRAIN_MS = 1_000;

/**
 * An answer that is known before the body has come, as for one that is too large, waits a moment for the rest, which
 * is thrown away. Closing a connection on bytes that nobody read resets it, and a reset overtakes the answer: the
 * client would hear nothing (RFC 9112, section 9.6).
 */
export function drainRefusedBodies(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async ({ raw }, _response, payload) => {
    if (!raw.complete) await drained(raw);
    return payload;
  });
}

function drained(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, DRAIN_MS);
    request.on('end', done).on('close', done).resume();
    function done() {
      clearTimeout(timer);
      resolve();
    }
  });
}
