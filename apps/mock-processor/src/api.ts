import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer, objectBody, refusalAnswer, type Answer, type Call } from './answer.js';
import { BookError } from './book.js';
import {
  invalid,
  OUT_OF_SERVICE,
  rateLimited,
  SERVER_ERROR,
  StripeError,
  unauthenticated,
} from './errors.js';
import { AFTER_WORK, BEFORE_WORK, INSTEAD_OF_ANSWER } from './faults.js';
import { parseForm } from './form.js';
import type { Deliveries } from './deliveries.js';
import { checkKey, type Idempotency } from './idempotency.js';
import { newId } from './ids.js';
import type { Operation } from './operation.js';
import { cancelIntent, captureIntent, confirmIntent, createIntent } from './payment-intents.js';
import { answerPost, deliver, slowly } from './post.js';
import { READINGS, type Reading } from './reads.js';
import { createRefund, settleDueRefunds } from './refunds.js';
import { API_VERSION } from './wire.js';
import type { World } from './world.js';

export type ApiDeps = {
  world: World;
  keys: Idempotency;
  deliveries: Deliveries;
  /** Aborts when the mock stops, so that no request is waited for. */
  stopped: AbortSignal;
  onBug: (error: unknown) => void;
};

const OPERATIONS: Operation[] = [
  createIntent,
  confirmIntent,
  captureIntent,
  cancelIntent,
  createRefund,
];

/** How long a caller that never hangs up is held by a `timeout_…` fault. */
const HANG_MS_MAX = 600_000;

/** Stripe's part of the server: everything under `/v1`. */
export function addApi(app: FastifyInstance, deps: ApiDeps): void {
  for (const operation of OPERATIONS) {
    app.post(operation.path, (request, reply) =>
      serve(deps, request, reply, (call) => answerPost(deps.world, deps.keys, operation, call)),
    );
  }
  for (const reading of READINGS) {
    app.get(reading.path, (request, reply) =>
      serve(deps, request, reply, (call) => answerGet(deps.world, reading, call)),
    );
  }
}

async function serve(
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (call: Call) => Promise<Answer>,
): Promise<FastifyReply> {
  const { world, stopped } = deps;
  const requestId = newId(world.random, 'req');
  const key = request.headers['idempotency-key'];
  const answer = await attempt(deps, requestId, async () => {
    authenticate(request);
    await settleDueRefunds(world);
    const id = (request.params as { id?: string }).id ?? '';
    const path = request.url.split('?', 1)[0] ?? '';
    const idempotencyKey = request.method === 'POST' ? checkKey(key as string | undefined) : null;
    const form = parseForm(formText(request));
    return work({ path, id, form, requestId, key: idempotencyKey, stopped });
  });
  reply.headers({
    'request-id': requestId,
    'stripe-version': request.headers['stripe-version'] ?? API_VERSION,
    ...(key !== undefined && { 'idempotency-key': key, 'original-request': requestId }),
    ...answer.headers,
  });
  return send(reply, answer);
}

/** Nothing is told before everything that it could rest on is on the disk. */
async function attempt(
  { world, deliveries, onBug }: ApiDeps,
  requestId: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await work();
    await world.book.synced();
    await deliveries.told((event) => event.requestId === requestId);
    return answer;
  } catch (error) {
    if (error instanceof StripeError) {
      await world.book.synced().catch(() => {});
      return refusalAnswer(error, (id) => world.book.state.things.get(id)?.thing ?? null);
    }
    onBug(error);
    return errorAnswer(500, {
      ...SERVER_ERROR,
      ...(error instanceof BookError && { message: 'The book of this mock cannot be written.' }),
    });
  }
}

async function answerGet(world: World, reading: Reading, call: Call): Promise<Answer> {
  const { faults } = world;
  if (faults.take(['busy'])) throw rateLimited();
  if (faults.take(INSTEAD_OF_ANSWER)) return errorAnswer(500, SERVER_ERROR);
  const before = faults.take(BEFORE_WORK);
  if (before) {
    const down = errorAnswer(503, OUT_OF_SERVICE, { 'retry-after': '1' });
    if (before.kind === 'down') return down;
    return { ...down, delivery: before.kind === 'lose_request' ? 'reset' : 'hang' };
  }
  const slow = faults.take(['slow']);
  if (slow) await slowly(world, slow, call);
  const body = objectBody(reading.read(world, call));
  return deliver({ status: 200, body, headers: {}, delivery: 'whole' }, faults.take(AFTER_WORK));
}

/** `Authorization: Bearer sk_test_…`, or the key as the user name of Basic, as curl's `-u` sends it. */
function authenticate(request: FastifyRequest): void {
  const [scheme = '', credentials = ''] = (request.headers.authorization ?? '').split(' ', 2);
  const kind = scheme.toLowerCase();
  const key =
    kind === 'bearer'
      ? credentials
      : kind === 'basic'
        ? Buffer.from(credentials, 'base64').toString('utf8').replace(/:.*$/s, '')
        : '';
  if (key === '') {
    throw unauthenticated(
      'You did not provide an API key. Provide one as "Authorization: Bearer sk_test_…".',
    );
  }
  if (!/^[sr]k_test_[A-Za-z0-9_]{1,200}$/.test(key)) {
    throw unauthenticated('Invalid API key provided: the mock takes any sk_test_… key.');
  }
}

function formText(request: FastifyRequest): string {
  if (request.method === 'GET') return request.url.split('?').slice(1).join('?');
  const body = request.body;
  if (!Buffer.isBuffer(body) || body.length === 0) return '';
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw invalid(
      'Invalid request (check that your POST content type is application/x-www-form-urlencoded).',
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw invalid('The body is not valid UTF-8.');
  }
}

async function send(reply: FastifyReply, answer: Answer): Promise<FastifyReply> {
  const { socket } = reply.request.raw;
  switch (answer.delivery) {
    case 'whole':
      return reply.code(answer.status).type('application/json').send(answer.body);
    case 'garbage':
      return reply.code(200).type('text/html').send(GARBAGE);
    case 'reset':
      reply.hijack();
      socket.resetAndDestroy();
      return reply;
    case 'hang': {
      reply.hijack();
      const release = setTimeout(() => socket.destroy(), HANG_MS_MAX);
      socket.once('close', () => clearTimeout(release));
      return reply;
    }
  }
}

const GARBAGE = '<html>\n<head><title>OK</title></head>\n<body>\n<h1>It wor';
