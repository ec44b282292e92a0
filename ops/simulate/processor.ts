import { parseForm } from '../../apps/mock-processor/src/form.js';
import { type Answer, refusalAnswer } from '../../apps/mock-processor/src/answer.js';
import type { Book } from '../../apps/mock-processor/src/book.js';
import { StripeError } from '../../apps/mock-processor/src/errors.js';
import { asFault, Faults, type Mode } from '../../apps/mock-processor/src/faults.js';
import { checkKey, Idempotency } from '../../apps/mock-processor/src/idempotency.js';
import { newId } from '../../apps/mock-processor/src/ids.js';
import type { Operation } from '../../apps/mock-processor/src/operation.js';
import {
  cancelIntent,
  captureIntent,
  createIntent,
} from '../../apps/mock-processor/src/payment-intents.js';
import { answerPost } from '../../apps/mock-processor/src/post.js';
import { READINGS } from '../../apps/mock-processor/src/reads.js';
import { createRefund, settleDueRefunds } from '../../apps/mock-processor/src/refunds.js';
import { type Entry, State } from '../../apps/mock-processor/src/state.js';
import { Webhooks } from '../../apps/mock-processor/src/webhook-settings.js';
import { objectBody } from '../../apps/mock-processor/src/answer.js';
import type { World } from '../../apps/mock-processor/src/world.js';
import { Stream } from './stream.js';

/** A request to the processor, as the adapter sends it. */
export type Call = {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body: string;
};

const OPERATIONS: Operation[] = [createIntent, captureIntent, cancelIntent, createRefund];

/** The mock processor's own rules and book, without its server and its file: requests in, answers out. */
export class SimulatedProcessor {
  readonly state = new State();
  readonly world: World;
  readonly #keys: Idempotency;
  readonly #never = new AbortController().signal;
  /** Called when something has happened of which there may be events. */
  onNews: () => void = () => {};

  constructor(
    seed: string,
    { nowMs, sleep }: { nowMs: () => number; sleep: (ms: number) => Promise<unknown> },
    mode: Mode,
  ) {
    const { state } = this;
    const commit = (entry: Entry) => Promise.resolve(state.apply(entry));
    const book = { state, commit, note: commit, synced: () => Promise.resolve(), failure: null };
    this.world = {
      book: book as unknown as Book,
      faults: new Faults(),
      webhooks: new Webhooks(null),
      random: new Stream(`${seed}/processor`),
      clock: {
        wallMs: nowMs,
        monotonicMs: nowMs,
        sleep: async (ms) => void (await sleep(ms)),
      },
    };
    this.world.faults.settings.mode = mode;
    this.#keys = new Idempotency(state);
  }

  /** Works one request off, at once. `fault` is the mock's name for what goes wrong with it. */
  async serve(call: Call, fault: string | null): Promise<Answer> {
    const { faults, random } = this.world;
    const requestId = newId(random, 'req');
    // Assigned: `set` would also forget whom the limiter has answered.
    faults.settings = {
      ...faults.settings,
      fault: fault === null ? null : asFault(fault),
      times: 1,
    };
    try {
      await settleDueRefunds(this.world);
      return await this.#answer(call, requestId);
    } catch (error) {
      if (!(error instanceof StripeError)) throw error;
      return refusalAnswer(error, (id) => this.state.things.get(id)?.thing ?? null);
    } finally {
      faults.settings = { ...faults.settings, fault: null, times: null };
      this.onNews();
    }
  }

  get mode(): Mode {
    return this.world.faults.mode;
  }

  /** Something that nobody has asked for. */
  happened(entry: Entry): void {
    this.state.apply(entry);
    this.onNews();
  }

  async #answer({ method, path, headers, body }: Call, requestId: string): Promise<Answer> {
    const [route = '', query = ''] = path.split('?', 2);
    const key = method === 'POST' ? checkKey(headers['Idempotency-Key']) : null;
    const form = parseForm(method === 'POST' ? body : query);
    const heard = { path: route, form, requestId, key, stopped: this.#never };
    if (method === 'POST') {
      const [operation, id] = find(OPERATIONS, route);
      return answerPost(this.world, this.#keys, operation, { ...heard, id });
    }
    const [reading, id] = find(READINGS, route);
    const text = objectBody(reading.read(this.world, { ...heard, id }));
    return { status: 200, body: text, headers: {}, delivery: 'whole' };
  }
}

/** The first route that fits, and the id in the path. */
function find<Route extends { path: string }>(routes: Route[], path: string): [Route, string] {
  for (const route of routes) {
    const match = new RegExp(`^${route.path.replace(':id', '([^/]+)')}$`).exec(path);
    if (match) return [route, decodeURIComponent(match[1] ?? '')];
  }
  throw new Error(`Bug: the simulated processor has no ${path}`);
}
