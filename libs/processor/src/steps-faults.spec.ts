import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { httpAnswer } from '#testing/raw-server.js';
import { startStepWorld, type StepWorld } from '#testing/step-world.js';
import {
  CAPTURE,
  PAYMENT,
  REFUND,
  REFUNDED,
  StripeBench,
  TIMEOUT,
  VOID,
} from '#testing/stripe-answers.js';
import type { CallOptions, Processor, RefundRequest } from './processor.js';

/** Long enough for the mock's synced book, short enough to wait for. */
const SHORT = { timeoutMs: 700 };

const bench = new StripeBench();
let world: StepWorld;

beforeAll(async () => {
  world = await startStepWorld();
});
afterEach(async () => {
  await bench.close();
  await world.client.control('DELETE', 'faults');
});
afterAll(() => world.close());

type Step = {
  request: RefundRequest;
  send: (processor: Processor, request: RefundRequest, options: CallOptions) => Promise<unknown>;
  lookUp: (processor: Processor, request: RefundRequest) => Promise<unknown>;
  /** A good answer to it. */
  answer: object;
  moves: string;
};

const STEPS: Record<string, Step> = {
  capture: {
    request: { ...CAPTURE, reason: null },
    send: (processor, request, options) => processor.capture(request, options),
    lookUp: (processor, request) => processor.lookUpCapture(request, TIMEOUT),
    answer: { ...PAYMENT, amount_received: 2000 },
    moves: 'capture 2000',
  },
  void: {
    request: { ...VOID, reason: null },
    send: (processor, request, options) => processor.void(request, options),
    lookUp: (processor, request) => processor.lookUpVoid(request, TIMEOUT),
    answer: { ...PAYMENT, amount_received: 0, status: 'canceled' },
    moves: 'void 2500',
  },
  refund: {
    request: REFUND,
    send: (processor, request, options) => processor.refund(request, options),
    lookUp: (processor, request) => processor.lookUpRefund(request, null, TIMEOUT),
    answer: REFUNDED,
    moves: 'refund 1000',
  },
};

const succeeded = { kind: 'succeeded' };
const notFound = { kind: 'not_found' };
const unknown = (reason: string, more: object = {}) => ({ kind: 'unknown', reason, ...more });
const storedError = unknown('server_error', { storedError: true, counts: true });
const freshError = unknown('server_error', { storedError: false, counts: false });

describe.each(Object.entries(STEPS))('a %s', (_kind, step) => {
  const { send, lookUp, answer, moves } = step;

  it.each<[fault: string, first: object, lookedUp: object, again: object, times: number]>([
    ['lose_request', unknown('reset'), notFound, succeeded, 1],
    ['timeout_not_charged', unknown('timeout'), notFound, succeeded, 1],
    ['down', freshError, notFound, succeeded, 1],
    ['lose_response', unknown('reset'), succeeded, succeeded, 1],
    ['timeout_charged', unknown('timeout'), succeeded, succeeded, 1],
    ['garbage', unknown('nonsense'), succeeded, succeeded, 1],
    ['error_charged', freshError, succeeded, storedError, 1],
    ['error_not_charged', freshError, notFound, storedError, 0],
    ['busy', { kind: 'not_sent', reason: 'rate_limited' }, notFound, succeeded, 1],
  ])('that meets %s: first answer, look-up, re-send', async (fault, first, found, again, times) => {
    const request = await world.stepOn(step.request);
    await world.client.faults({ fault, times: 1 });
    const options = fault.startsWith('timeout') ? SHORT : TIMEOUT;
    expect(await send(world.processor, request, options)).toMatchObject(first);
    expect(await lookUp(world.processor, request)).toMatchObject(found);
    expect(await send(world.processor, request, TIMEOUT)).toMatchObject(again);
    const moved = await world.movementsOf(request);
    expect(moved.filter((movement) => movement === moves)).toHaveLength(times);
  });

  it('under a key that is known with other parameters is a mismatch', async () => {
    const request = await world.stepOn(step.request);
    await send(world.processor, request, TIMEOUT);
    const elsewhere = { ...(await world.stepOn(step.request)), processorKey: request.processorKey };
    expect(await send(world.processor, elsewhere, TIMEOUT)).toMatchObject(unknown('key_mismatch'));
  });

  it('that nobody listens to is not sent', async () => {
    const { server } = await bench.serving(() => {});
    await server.close();
    const processor = bench.processorAt(server.url);
    expect(await send(processor, step.request, TIMEOUT)).toMatchObject({
      kind: 'not_sent',
      reason: 'connect_refused',
    });
  });

  const text = JSON.stringify(answer);

  it('with a good answer has succeeded', async () => {
    const { processor } = await bench.answering(200, text);
    expect(await send(processor, step.request, TIMEOUT)).toMatchObject(succeeded);
  });

  it.each<[string, string | Buffer]>([
    ['an empty 200', ''],
    ['HTML', '<html><body>Service unavailable</body></html>'],
    ['truncated JSON', text.slice(0, -20)],
    ['a bare text', '"refund"'],
    ['null', 'null'],
    ['a list', `[${text}]`],
    ['the status twice', text.replace('{', '{"status":"pending",')],
    ['the amount twice', text.replace('{', '{"amount":1,')],
    ['the amount as a text', text.replace(/"amount":(\d+)/, '"amount":"$1"')],
    ['the amount rounded by a double', text.replace(/"amount":\d+/, '"amount":9007199254740993')],
    ['another currency', text.replaceAll('"myr"', '"usd"')],
    ['another reference', text.replace(/"payonce_intent":"[^"]+"/, '"payonce_intent":"x"')],
    ['another account', text.replace(/"payonce_account":"[^"]+"/, '"payonce_account":"x"')],
    ['another payment', text.replaceAll('"pi_1"', '"pi_2"')],
    ['no metadata', JSON.stringify({ ...answer, metadata: null })],
    ['another object', text.replace(/"object":"\w+"/, '"object":"charge"')],
    ['an id that is a path', text.replace(/"id":"\w+"/, '"id":"re_1/../../refunds"')],
    ['an unknown status', text.replace(/"status":"\w+"/, '"status":"delighted"')],
    ['bytes that are not UTF-8', Buffer.from('7b2261223a22ff227d', 'hex')],
    ['what is longer than is read', `${text}${' '.repeat(1024 * 1024)}`],
  ])('is unknown by %s', async (_what, body) => {
    const { server, processor } = await bench.serving((socket) =>
      socket.write(httpAnswer(200, body)),
    );
    expect(await send(processor, step.request, TIMEOUT)).toMatchObject(
      unknown('nonsense', { counts: true, storedError: false }),
    );
    expect(server.requests).toHaveLength(1);
  });
});
