import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

const PATIENCE_MS = 20_000;

export type Received = { headers: IncomingHttpHeaders; bytes: Buffer; event: WebhookEvent };
export type WebhookEvent = {
  id: string;
  type: string;
  data: { object: { id: string; [member: string]: any } };
  [member: string]: any;
};

/** What a delivery is answered with: a status, or nothing at all. */
type Answer = number | 'hang' | { status: number; location: string };

/** Takes deliveries on a real socket, keeps them all, and answers each as it is told to. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** The largest number of deliveries that were held unanswered at one time. */
  heldMost = 0;
  #held = 0;
  #answer: (received: Received) => Answer | Promise<Answer> = () => 200;
  readonly #watchers = new Set<() => void>();

  private constructor(private readonly server: Server) {}

  static async start(port = 0): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      // A delivery that its sender cuts off, as one that is killed does, is none.
      receiver.#serve(request, response).catch(() => request.destroy());
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/webhooks/stripe`;
  }

  get types(): string[] {
    return this.received.map(({ event }) => event.type);
  }

  /** How deliveries are answered from now on. */
  answers(answer: (received: Received) => Answer | Promise<Answer>): void {
    this.#answer = answer;
  }

  /** Resolves as soon as the condition holds, which is looked at before and after each answer. */
  async until(holds: (receiver: this) => boolean, what = String(holds)): Promise<void> {
    if (holds(this)) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#watchers.delete(look);
        reject(new Error(`not in ${PATIENCE_MS} ms: ${what}; received ${this.types.join(', ')}`));
      }, PATIENCE_MS);
      const look = () => {
        if (!holds(this)) return;
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
    });
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await this.#take(Buffer.concat(chunks), request.headers);
    if (answer === 'hang') return;
    if (typeof answer === 'number') response.writeHead(answer).end('{}');
    else response.writeHead(answer.status, { location: answer.location }).end('{}');
  }

  async #take(bytes: Buffer, headers: IncomingHttpHeaders): Promise<Answer> {
    const received = { headers, bytes, event: JSON.parse(bytes.toString('utf8')) as WebhookEvent };
    this.received.push(received);
    this.#held += 1;
    this.heldMost = Math.max(this.heldMost, this.#held);
    this.#look();
    const answer = await this.#answer(received);
    this.#held -= 1;
    this.#look();
    return answer;
  }

  #look(): void {
    for (const look of this.#watchers) look();
  }
}
