import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Payments, Refused, accountOf } from '../../ops/conformance/peers/payments.mjs';

const WAIT_MS = 5_000;

type Saved = { status: number; text: string };

/**
 * What is written in an afternoon: look the key up, act, then save the answer. No comparison of bodies, no owner of
 * the key, nothing that stops two from looking at once, and a server error saved like any answer.
 */
export class NaiveService {
  readonly #payments = new Payments();
  readonly #answers = new Map<string, Saved>();
  readonly #waiting = new Map<string, () => void>();
  readonly #server: Server = createServer(
    (request, response) => void this.#serve(request, response),
  );

  static async start(): Promise<NaiveService> {
    const service = new NaiveService();
    await new Promise<void>((done) => service.#server.listen(0, '127.0.0.1', done));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await whole(request);
    const account = accountOf(request.headers.authorization);
    if (text === null) return;
    if (account === null) return send(response, { status: 401, text: '{}' });
    if (request.method === 'GET') {
      const payments = JSON.stringify({ payments: this.#payments.list(account) });
      return send(response, { status: 200, text: payments });
    }
    const key = request.headers['idempotency-key'] as string | undefined;
    if (text.includes('"slow_')) await this.#secondOf(key);
    const saved = key === undefined ? undefined : this.#answers.get(key);
    const answer = saved ?? (await this.#act(account, request.url ?? '', text));
    if (key !== undefined) this.#answers.set(key, answer);
    send(response, answer, saved === undefined ? {} : { 'Idempotent-Replayed': 'true' });
  }

  /** The first slow request of a key goes on when its second is there, so that no machine is too slow to race. */
  async #secondOf(key = ''): Promise<void> {
    const first = this.#waiting.get(key);
    this.#waiting.set(key, () => {});
    if (first) return first();
    const second = new Promise<void>((resolve) => this.#waiting.set(key, resolve));
    await Promise.race([second, pause(WAIT_MS)]);
  }

  async #act(account: string, path: string, text: string): Promise<Saved> {
    try {
      const body: unknown = JSON.parse(text);
      const payment = /^\/payments\/([^/]+)\/refunds$/.exec(path)?.[1];
      const made = await (payment === undefined
        ? this.#payments.charge(account, body)
        : this.#payments.refund(account, payment, body));
      return { status: 201, text: JSON.stringify(made) };
    } catch (error) {
      const status =
        error instanceof Refused ? error.status : error instanceof SyntaxError ? 400 : 500;
      return { status, text: JSON.stringify({ error: String(error) }) };
    }
  }
}

function send(response: ServerResponse, { status, text }: Saved, headers: object = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text);
}

/** Null: the client hung up in the middle. */
async function whole(request: IncomingMessage): Promise<string | null> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString('utf8');
  } catch {
    return null;
  }
}
