import { setMaxListeners } from 'node:events';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { systemClock, type Clock } from '#seams/clock.js';
import { systemRandom, type Random } from '#seams/random.js';
import { addApi } from './api.js';
import { Book } from './book.js';
import { addControl } from './control.js';
import { Deliveries } from './deliveries.js';
import { addEventControl } from './event-control.js';
import { Faults } from './faults.js';
import { Idempotency } from './idempotency.js';
import { Listener } from './listener.js';
import { addSettlementControl } from './settlement/control.js';
import { settleRefundsInTime } from './refund-timer.js';
import { addWebhookControl } from './webhook-control.js';
import { Webhooks, type WebhookTarget } from './webhook-settings.js';
import type { World } from './world.js';

export type MockOptions = {
  /** The append-only file. It is made if it is not there. */
  bookFile: string;
  /** 0, the default, takes any free port. */
  port?: number;
  host?: string;
  /** Where events are delivered to. Without it, the default, they are only listed. */
  webhooks?: WebhookTarget | null;
  clock?: Clock;
  random?: Random;
  /** Called for each line that a process would log. */
  log?: (line: MockLogLine) => void;
};
export type MockLogLine = {
  level: 'info' | 'error';
  event: string;
  [member: string]: unknown;
};
export type Mock = {
  port: number;
  url: string;
  /** For a receiver that starts after the mock; events from before are not owed to it. */
  sendWebhooksTo(target: WebhookTarget): void;
  close(): Promise<void>;
};

const BODY_BYTES_MAX = 1 << 20;
/** Longer than clients keep idle connections, so that they close first and no request meets a reset. */
const KEEP_ALIVE_MS = 75_000;

/** Starts a card processor that speaks Stripe's form, keeps its own book and misbehaves on demand. */
export async function startMockProcessor(options: MockOptions): Promise<Mock> {
  const { host = '127.0.0.1', log = () => {} } = options;
  const book = await Book.open(options.bookFile);
  const world: World = {
    book,
    faults: new Faults(),
    webhooks: new Webhooks(options.webhooks ?? null),
    random: options.random ?? systemRandom,
    clock: options.clock ?? systemClock,
  };
  const keys = new Idempotency(book.state);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // one for each request that a fault holds back
  const app = newApp();
  const listener = new Listener(app.server, host, (event, more) =>
    log({ level: 'info', event, ...more }),
  );
  const onBug = (error: unknown) => {
    const event = book.failure ? 'mock_book_failed' : 'mock_request_failed';
    log({ level: 'error', event, detail: error instanceof Error ? error.stack : String(error) });
  };
  app.addHook('onSend', async (_request, reply) => {
    if (listener.isRefusing) reply.header('connection', 'close');
  });
  const deliveries = new Deliveries(world, (event, more) =>
    log({ level: 'error', event, ...more }),
  );
  const settleRefunds = settleRefundsInTime(world, stopping.signal, onBug);
  book.onDurable = (events) => {
    deliveries.onDurable(events);
    settleRefunds();
  };
  addApi(app, { world, keys, deliveries, stopped: stopping.signal, onBug });
  addControl(app, { world, keys, listener });
  addWebhookControl(app, { world, deliveries });
  addEventControl(app, { world, deliveries });
  addSettlementControl(app, world);
  try {
    await app.ready();
    await listener.open(options.port ?? 0);
  } catch (error) {
    await book.close();
    throw error;
  }
  deliveries.start();
  settleRefunds();
  const close = async () => {
    stopping.abort();
    await deliveries.close();
    await listener.close();
    await app.close();
    await book.close();
  };
  const sendWebhooksTo = (target: WebhookTarget) => {
    world.webhooks.target = target;
    deliveries.start();
  };
  const shownHost = host.includes(':') ? `[${host}]` : host;
  const url = `http://${shownHost}:${listener.port}`;
  return { port: listener.port, url, sendWebhooksTo, close };
}

function newApp(): FastifyInstance {
  const app = fastify({
    bodyLimit: BODY_BYTES_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    frameworkErrors: (_error, request, reply) => {
      const message = `Unrecognized request URL (${request.method}: ${request.url.slice(0, 200)}).`;
      (reply as FastifyReply).code(404).send({ error: { type: 'invalid_request_error', message } });
    },
  });
  // Bodies are read as bytes whatever they call themselves: the routes judge them.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]?.slice(0, 200);
    const message = `Unrecognized request URL (${request.method}: ${path}).`;
    return reply.code(404).send({ error: { type: 'invalid_request_error', message } });
  });
  app.setErrorHandler((error: { statusCode?: number; message: string }, _request, reply) => {
    const status = error.statusCode ?? 500;
    const type = status < 500 ? 'invalid_request_error' : 'api_error';
    return reply.code(status).send({ error: { type, message: error.message } });
  });
  return app;
}
