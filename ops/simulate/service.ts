import type { FastifyReply, FastifyRequest } from 'fastify';
import { CancellationsController } from '../../apps/payments-api/src/cancellations.controller.js';
import { CapturesController } from '../../apps/payments-api/src/captures.controller.js';
import { PaymentsController } from '../../apps/payments-api/src/payments.controller.js';
import { RefundsController } from '../../apps/payments-api/src/refunds.controller.js';
import { WebhooksController } from '../../apps/payments-api/src/webhooks.controller.js';
import { Background } from '#payments/background.js';
import type { Deps } from '#payments/deps.js';
import { lookUpPayment } from '#payments/look-up-payment.js';
import { readPayment } from '#payments/read-payments.js';
import { AccountLimits } from '#platform/account-limits.js';
import type { AccountCaller } from '#platform/authenticator.js';
import type { Config } from '#platform/config.js';
import { Core } from '#platform/core.js';
import type { Logger } from '#platform/logging.js';
import { ProblemError } from '#platform/problem-error.js';
import type { Database } from '#postgres/data-source.js';
import type { Db } from '#postgres/db.js';
import { clockOf } from './clock.js';
import type { SimulatedDatabase } from './database.js';
import { type Request, type Response, answer } from './http.js';
import { type Tamper, openProcessor } from './network.js';
import type { SimulatedProcessor } from './processor.js';
import type { Scheduler } from './scheduler.js';
import type { Task } from './step.js';
import { Stream } from './stream.js';

/** What all simulated processes stand on. */
export type Ground = {
  seed: string;
  config: Config;
  scheduler: Scheduler;
  database: SimulatedDatabase;
  processor: SimulatedProcessor;
  source: Database['source'];
  reader: Db;
  log: Logger;
  onCall: (task: Task, path: string, end: string) => void;
  tamper: Tamper | null;
};

/**
 * One process of the service, API or worker: what it remembers between two requests, and the objects that a
 * request or a pass works with. It has one life; a process that is started again is another one.
 */
export class Service {
  isAlive = true;
  /** Whether others can see it live. It can lose that and go on. */
  isRegistered = true;
  readonly #limits: AccountLimits;
  #account: Promise<string | null> | null = null;

  constructor(
    readonly name: string,
    readonly id: number,
    private readonly ground: Ground,
  ) {
    const { config, scheduler } = ground;
    const limits = { inFlightMax: config.accountInFlightMax, newKeysPerMinute: 60_000 };
    const nowMs = () => scheduler.nowMs;
    const clock = { monotonicMs: nowMs, wallMs: nowMs, sleep: () => new Promise<void>(() => {}) };
    this.#limits = new AccountLimits(limits, clock);
  }

  /** The object graph of one line of events, as `openCore` makes it for a process. */
  core(task: Task): Core {
    const { config, log, source } = this.ground;
    return new Core(config, log, this.#deps(task), source, null as never);
  }

  deps(task: Task): Deps {
    return this.core(task).deps;
  }

  answer(task: Task, request: Request, caller: AccountCaller | null): Promise<Response> {
    const core = this.core(task);
    const id = `req_${core.deps.random.uuid()}`;
    const log = this.ground.log;
    return answer(request, { id, caller, log }, (heard, response) =>
      this.#route(core, task, heard, response),
    );
  }

  #route(
    core: Core,
    task: Task,
    request: FastifyRequest,
    response: FastifyReply,
  ): Promise<unknown> {
    const [, first, id = '', last] = request.url.slice(1).split('/');
    const limits = this.#limits;
    if (request.method === 'GET') return this.#read(core, task, request, id);
    if (first === 'stripe') return new WebhooksController(core).receive(request);
    if (first === 'cancellations')
      return new CancellationsController(core, limits).cancelByKey(request, response);
    switch (last) {
      case 'capture':
        return new CapturesController(core, limits).capture(request, response, id);
      case 'cancel':
        return new CancellationsController(core, limits).cancel(request, response, id);
      case 'refunds':
        return new RefundsController(core, limits).create(request, response, id);
      default:
        return new PaymentsController(core, limits).create(request, response);
    }
  }

  /** A payment is looked up by steps, and then read at once: reading changes nothing and waits for nobody. */
  async #read(core: Core, task: Task, request: FastifyRequest, id: string): Promise<object> {
    const { scheduler, reader, source } = this.ground;
    const { caller } = request;
    if (caller?.kind !== 'account') throw new Error('Bug: nobody reads');
    await lookUpPayment(core.deps, caller.accountId, id, request.id);
    await scheduler.stand(task, 'reads');
    const found = await scheduler.perform(task, null, () =>
      readPayment({ db: reader, source }, caller.accountId, id),
    );
    if (found === null) throw new ProblemError({ code: 'payment_not_found' });
    return found;
  }

  #deps(task: Task): Deps {
    const { seed, config, scheduler, database, processor, log, onCall, tamper } = this.ground;
    const clock = clockOf(scheduler, task);
    const adapter = openProcessor({ scheduler, processor, clock, tamper }, task, onCall);
    return {
      db: database.open(task),
      processor: this.#withAccount(adapter),
      clock,
      random: new Stream(`${seed}/${task.name}`),
      terms: config,
      log,
      instance: {
        id: this.id,
        registered: async (withinMs) => {
          if (!this.isRegistered) await clock.sleep(withinMs);
          return this.isRegistered;
        },
      },
      background: new Background(),
    };
  }

  #withAccount(adapter: Deps['processor']): Deps['processor'] {
    const account = (options: { timeoutMs: number }) => this.#accountOnce(adapter, options);
    return new Proxy(adapter, {
      get: (target, name) => (name === 'account' ? account : Reflect.get(target, name)),
    });
  }

  /** A process asks whose account it is once, and again only if nobody could tell. */
  async #accountOnce(
    adapter: Deps['processor'],
    options: { timeoutMs: number },
  ): Promise<string | null> {
    this.#account ??= adapter.account(options);
    const found = await this.#account;
    if (found === null) this.#account = null;
    return found;
  }
}
