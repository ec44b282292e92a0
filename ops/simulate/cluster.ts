import { fetchMissedEvents } from '#payments/fetch-events.js';
import type { Deps } from '#payments/deps.js';
import { sweepAuthorizations } from '#payments/sweep-authorizations.js';
import { sweepInbox } from '#payments/sweep-inbox.js';
import { checkAllLeases, sweepLeases } from '#payments/sweep-leases.js';
import { type Watch, newWatch, takeOrphans } from '#payments/take-orphans.js';
import type { AccountCaller } from '#platform/authenticator.js';
import { CRASH_ENDS } from './database.js';
import type { Request, Response } from './http.js';
import type { Task } from './step.js';
import { type Ground, Service } from './service.js';
import type { Stage } from './stage.js';
import { Stream } from './stream.js';

/** One pass of each sweep of the worker. */
const PASSES = {
  leases: (deps: Deps) => sweepLeases(deps, `wrk_${deps.random.uuid()}`),
  orphans: (deps: Deps, watch: Watch) => takeOrphans(deps, watch, `wrk_${deps.random.uuid()}`),
  inbox: (deps: Deps) => sweepInbox(deps, `wrk_${deps.random.uuid()}`),
  authorizations: (deps: Deps) => sweepAuthorizations(deps, `wrk_${deps.random.uuid()}`),
  missed: (deps: Deps) => fetchMissedEvents(deps),
  daily: (deps: Deps) => checkAllLeases(deps),
};
export type PassName = keyof typeof PASSES;
const PASS_NAMES = Object.keys(PASSES) as PassName[];

/** The processes of one schedule: replicas of the API, workers, and whoever comes after one that died. */
export class Cluster {
  readonly apis: Service[] = [];
  readonly workers: Service[] = [];
  crashes = 0;
  readonly #answers = new Map<Service, Set<(response: null) => void>>();
  readonly #routing: Stream;
  #lives = 0;
  #requests = 0;

  constructor(
    readonly ground: Ground,
    private readonly stage: Stage,
  ) {
    this.#routing = new Stream(`${ground.seed}/routing`);
  }

  async startApi(): Promise<Service> {
    return this.#start('api', this.apis);
  }

  /** A worker whose passes happen when they are chosen. */
  async startWorker(): Promise<Service> {
    const worker = await this.#start('worker', this.workers);
    const watch = newWatch();
    for (const pass of PASS_NAMES) {
      this.ground.scheduler.spawn(`${worker.name} ${pass}`, worker.name, async (task) => {
        for (;;) {
          await this.ground.scheduler.stand(task, 'begins a pass', ['ok'], { optional: true });
          await this.#pass(task, worker, pass, watch);
        }
      });
    }
    return worker;
  }

  /** One pass now, of a worker that is well. */
  run(worker: Service, pass: PassName, watch: Watch): void {
    const name = `${worker.name} ${pass} ${(this.#requests += 1)}`;
    this.ground.scheduler.spawn(name, worker.name, (task) => this.#pass(task, worker, pass, watch));
  }

  /** Brings a request to one of the replicas. */
  readonly send = async (
    request: Request,
    caller: AccountCaller | null,
  ): Promise<Response | null> => {
    const alive = this.apis.filter(({ isAlive }) => isAlive);
    if (alive.length === 0) return null;
    const service = this.#routing.pick(alive);
    return new Promise((resolve) => {
      const waiting = this.#answers.get(service) ?? new Set();
      this.#answers.set(service, waiting);
      waiting.add(resolve);
      const name = `${service.name}/${(this.#requests += 1)}`;
      this.ground.scheduler.spawn(name, service.name, async (task) => {
        const response = await service.answer(task, request, caller);
        waiting.delete(resolve);
        resolve(response);
      });
    });
  };

  /** Kills a process: whoever waits for it hears that the connection broke, and its session is gone. */
  async crash(service: Service, how: (typeof CRASH_ENDS)[number]): Promise<void> {
    const { scheduler, database } = this.ground;
    this.crashes += 1;
    service.isAlive = false;
    scheduler.kill(service.name);
    await database.crash(service.name, how);
    await this.loseRegistration(service);
    for (const resolve of this.#answers.get(service) ?? []) resolve(null);
  }

  async loseRegistration(service: Service): Promise<void> {
    if (service.isRegistered) await this.stage.unregister(service.id);
    service.isRegistered = false;
  }

  async registerAgain(service: Service): Promise<void> {
    if (!service.isRegistered && service.isAlive) await this.stage.register(service.id);
    service.isRegistered = service.isAlive;
  }

  async #start(kind: string, among: Service[]): Promise<Service> {
    this.#lives += 1;
    const service = new Service(`${kind}${this.#lives}`, 1_000 + this.#lives, this.ground);
    await this.stage.register(service.id);
    among.push(service);
    return service;
  }

  async #pass(task: Task, worker: Service, pass: PassName, watch: Watch): Promise<void> {
    try {
      const done = await PASSES[pass](worker.deps(task), watch);
      this.ground.scheduler.trace.result(task, JSON.stringify(done));
    } catch (error) {
      this.ground.log.warning('sweep_failed', { sweep: pass, error: String(error) });
    }
  }
}
