import type { FastifyReply } from 'fastify';
import { ControlRefusal } from './control-body.js';
import { StripeError } from './errors.js';

/** Answers a control call, or why it is refused: always 400, whatever the API would say. */
export async function answerRefusal(
  reply: FastifyReply,
  work: () => object | Promise<object>,
): Promise<object> {
  try {
    return await work();
  } catch (error) {
    const isRefusal = error instanceof ControlRefusal;
    if (!isRefusal && !(error instanceof StripeError)) throw error;
    const param = isRefusal ? error.param : (error.body.param ?? null);
    const { message } = error;
    return reply.code(400).send({ error: { type: 'invalid_request_error', message, param } });
  }
}
