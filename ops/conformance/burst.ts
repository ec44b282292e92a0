import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Exchange, Target } from './bench.js';
import type { Answer, Headers, Sent } from './wire.js';

/** What a child is told: what to send, and then when. Buffers travel as they are. */
export type Order = { sent: Sent[]; secret: Headers; patienceMs: number };
export type Start = { atMs: number };
export type Told = 'ready' | { answer: Answer | null; lost?: string }[];

/** So long after the last child is ready they all start: time enough for the word to reach each. */
const BARRIER_MS = 60;

/** Real processes that send at one instant: each of them is ready, its code warm, before any starts. */
export class Crowd {
  readonly #children: Child[];

  constructor(private readonly target: Target) {
    this.#children = Array.from({ length: target.processes }, () => new Child());
  }

  /** Each process sends `each` requests together; of several that are given, in turns. */
  async send(sent: Sent[], secret: Headers, each: number): Promise<Exchange[]> {
    const { patienceMs } = this.target;
    const orders = this.#children.map((_, at) =>
      Array.from({ length: each }, (__, n) => sent[(at + n) % sent.length] as Sent),
    );
    await Promise.all(
      this.#children.map((child, at) =>
        child.order({ sent: orders[at] ?? [], secret, patienceMs }),
      ),
    );
    const atMs = Date.now() + BARRIER_MS;
    const told = await Promise.all(this.#children.map((child) => child.start({ atMs })));
    return told.flatMap((answers, at) =>
      answers.map((result, n) => ({ request: orders[at]?.[n] as Sent, ...result })),
    );
  }

  close(): void {
    for (const child of this.#children) child.end();
  }
}

class Child {
  readonly #process: ChildProcess = fork(
    fileURLToPath(new URL('./burst-child.js', import.meta.url)),
    { serialization: 'advanced', execArgv: [] },
  );

  async order(order: Order): Promise<void> {
    await this.#said(order);
  }

  async start(start: Start): Promise<Exclude<Told, 'ready'>> {
    const told = await this.#said(start);
    return told === 'ready' ? [] : told.map(revived);
  }

  end(): void {
    this.#process.kill('SIGKILL');
  }

  #said(word: Order | Start): Promise<Told> {
    return new Promise((resolve, reject) => {
      const gone = (code: number | null) =>
        reject(new Error(`a process of the burst ended (${code})`));
      this.#process.once('exit', gone);
      this.#process.once('message', (told) => {
        this.#process.off('exit', gone);
        resolve(told as Told);
      });
      this.#process.send(word);
    });
  }
}

/** A Buffer arrives as a plain Uint8Array. */
function revived(result: { answer: Answer | null; lost?: string }) {
  const { answer } = result;
  return answer === null
    ? result
    : { ...result, answer: { ...answer, bytes: Buffer.from(answer.bytes) } };
}
