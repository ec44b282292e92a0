import type { AccountCaller } from '#platform/authenticator.js';
import type { History } from './history.js';
import type { Request, Response } from './http.js';
import type { ClientPlan, Wish } from './plan.js';
import { isFinal, paymentIn, requestOf, withOtherBody } from './requests.js';
import type { Scheduler } from './scheduler.js';
import type { Task } from './step.js';
import { ACCOUNTS } from './stage.sql.js';
import { Stream } from './stream.js';

/** How long a client waits for an answer before it takes it for lost. */
const PATIENCE_MS = 20_000;
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 30_000;
const TRIES_MAX = 60;

/** Takes a request to one of the replicas. Null: the connection broke, and nobody knows. */
export type Send = (request: Request, caller: AccountCaller) => Promise<Response | null>;

export type ClientGround = {
  seed: string;
  scheduler: Scheduler;
  history: History;
  send: Send;
  /** What all clients together have heard of payments, by the keys that they were asked for under. */
  payments: Map<string, string>;
  onAnswer: (wish: Wish, response: Response, before: Response | null) => void;
};

/** A client as it should be: it repeats what it did not hear the end of, under the same key, in the same bytes. */
export class SimulatedClient {
  readonly task: Task;
  isDone = false;
  readonly #stream: Stream;
  readonly #caller: AccountCaller;

  constructor(
    private readonly plan: ClientPlan,
    private readonly ground: ClientGround,
  ) {
    this.#stream = new Stream(`${ground.seed}/${plan.name}`);
    this.#caller = callerOf(plan.account);
    this.task = ground.scheduler.spawn(plan.name, 'client', async (task) => {
      for (const wish of plan.wishes) await this.#fulfil(task, wish);
      this.isDone = true;
    });
  }

  /** Asks once more for everything: whoever has been answered gets the same again. */
  async askAgain(task: Task): Promise<void> {
    for (const wish of this.plan.wishes) {
      const request = this.#requestOf(wish);
      if (request !== null) await this.#ask(task, wish, request);
    }
  }

  async #fulfil(task: Task, wish: Wish): Promise<void> {
    let before: Response | null = null;
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      const request = this.#requestOf(wish);
      if (request === null) return;
      if (wish.otherBody && tries === 1 && this.#stream.chance(0.3))
        await this.#ask(task, wish, withOtherBody(request));
      const response = await this.#ask(task, wish, request);
      if (response !== null) {
        this.ground.onAnswer(wish, response, before);
        if (isFinal(response)) return;
        before = response;
      }
      if (wish.kind === 'read') return;
      if (tries === 1 && wish.otherBody) await this.#ask(task, wish, withOtherBody(request));
      await this.ground.scheduler.sleep(task, this.#pauseMs(tries));
    }
  }

  /** Payments of another account are known to nobody here. */
  #requestOf(wish: Wish): Request | null {
    return requestOf(wish, this.ground.payments);
  }

  async #ask(task: Task, wish: Wish, request: Request): Promise<Response | null> {
    const { scheduler, history, send, payments } = this.ground;
    const call = history.invoke(this.plan.name, this.#caller.accountId, request);
    const ends = ['ok', 'never arrives'];
    const end = await scheduler.stand(task, `sends ${request.method} ${wish.kind}`, ends);
    const response = end === 'ok' ? await this.#patiently(task, send(request, this.#caller)) : null;
    const isLost = response === null || (await scheduler.stand(task, 'hears', HEARS)) === 'lost';
    if (isLost) {
      history.lost(call);
      return null;
    }
    history.answer(call, response);
    scheduler.trace.result(task, `${response.status} ${response.text}`);
    const id = wish.kind === 'charge' ? paymentIn(response) : null;
    if (id !== null && !payments.has(wish.key)) payments.set(wish.key, id);
    return response;
  }

  async #patiently(task: Task, answer: Promise<Response | null>): Promise<Response | null> {
    const answered = new AbortController();
    const patience = this.ground.scheduler.sleep(task, PATIENCE_MS, answered.signal);
    const first = await Promise.race([answer, patience.then(() => null)]);
    answered.abort('answered');
    return first;
  }

  #pauseMs(tries: number): number {
    const cap = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 3 ** Math.min(tries, 10));
    return Math.round(cap * (0.5 + this.#stream.unit() / 2));
  }
}

const HEARS = ['ok', 'lost'];

function callerOf(account: number): AccountCaller {
  const { id, name } = ACCOUNTS[account] ?? ACCOUNTS[0];
  return {
    kind: 'account',
    accountId: id,
    accountName: name,
    mode: 'test',
    orderOnce: null,
    scopes: ['payments:write', 'payments:read'],
    keyId: id,
  };
}
