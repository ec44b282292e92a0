import type { AccountCaller } from '#platform/authenticator.js';
import type { History } from './history.js';
import type { Request, Response } from './http.js';
import type { ClientPlan, Wish } from './plan.js';
import type { Scheduler, Task } from './scheduler.js';
import { ACCOUNTS } from './stage.sql.js';
import { Stream } from './stream.js';

/** How long a client waits for an answer before it takes it for lost. */
const PATIENCE_MS = 20_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const TRIES_MAX = 60;

/** Takes a request to one of the replicas. Null: the connection broke, and nobody knows. */
export type Send = (request: Request, caller: AccountCaller) => Promise<Response | null>;

export type ClientGround = {
  seed: string;
  scheduler: Scheduler;
  history: History;
  send: Send;
  /** A client that had its answer twice, the second time by a replay. */
  onAnswer: (wish: Wish, response: Response) => void;
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
    for (const wish of this.plan.wishes) await this.#ask(task, requestOf(wish));
  }

  async #fulfil(task: Task, wish: Wish): Promise<void> {
    if (wish.otherBody && this.#stream.chance(0.5)) await this.#ask(task, otherBody(wish));
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      const response = await this.#ask(task, requestOf(wish));
      if (response !== null) this.ground.onAnswer(wish, response);
      if (response !== null && isFinal(response)) break;
      if (tries === 1 && wish.otherBody) await this.#ask(task, otherBody(wish));
      await this.ground.scheduler.sleep(task, this.#pauseMs(tries));
    }
  }

  async #ask(task: Task, request: Request): Promise<Response | null> {
    const { scheduler, history, send } = this.ground;
    const call = history.invoke(this.plan.name, this.#caller.accountId, request);
    const end = await scheduler.stand(task, `sends ${request.method} ${request.path}`, [
      'ok',
      'never arrives',
    ]);
    const response = end === 'ok' ? await this.#patiently(task, send(request, this.#caller)) : null;
    const heard = await scheduler.stand(task, response === null ? 'hears nothing' : 'hears', [
      'ok',
      'lost',
    ]);
    if (response === null || heard === 'lost') {
      history.lost(call);
      return null;
    }
    history.answer(call, response);
    scheduler.trace.result(task, `${response.status} ${response.text}`);
    return response;
  }

  async #patiently(task: Task, answer: Promise<Response | null>): Promise<Response | null> {
    const answered = new AbortController();
    const patience = this.ground.scheduler.sleep(task, PATIENCE_MS, answered.signal);
    const first = await Promise.race([answer, patience.then(() => null)]);
    answered.abort();
    return first;
  }

  #pauseMs(tries: number): number {
    const cap = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries, 10));
    return Math.round(cap * (0.5 + this.#stream.unit() / 2));
  }
}

export function callerOf(account: number): AccountCaller {
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

function requestOf(wish: Wish): Request {
  const headers = {
    'Content-Type': 'application/json',
    'Idempotency-Key': wish.key,
    ...wish.headers,
  };
  return { method: 'POST', path: '/v1/payments', headers, body: JSON.stringify(wish.body) };
}

/** Another wish under a key that is taken: it must be refused, and must change nothing. */
function otherBody(wish: Wish): Request {
  return { ...requestOf(wish), body: JSON.stringify({ ...wish.body, amount: 31_337 }) };
}

/** Whether a client would stop here. What is unknown, in progress, released or overloaded it asks for again. */
function isFinal({ status, text }: Response): boolean {
  if (status === 202 || status === 429 || status >= 500) return false;
  return status !== 409 || !/idempotency_key_in_progress|payment_unresolved/.test(text);
}
