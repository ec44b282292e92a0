import {
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
  request,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it reached the processor. */
export type SeenRequest = {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
};

type Answer = { status: number; headers: Record<string, string>; body: string };

/**
 * Stands between the service and the processor, on real HTTP: it notes what the processor gets to see,
 * closes its door on demand, and may answer once in the processor's place.
 */
export class RecordingProxy {
  readonly seen: SeenRequest[] = [];
  /** Where requests go on to. */
  target = '';
  /** The answer to the next request, instead of the processor's. */
  answerNext: Answer | null = null;
  #port = 0;
  #server: Server;

  private constructor() {
    this.#server = this.#makeServer();
  }

  static async start(): Promise<RecordingProxy> {
    const proxy = new RecordingProxy();
    await proxy.open();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Requests that ask for a charge. */
  get charges(): SeenRequest[] {
    return this.seen.filter(
      ({ method, path }) => method === 'POST' && path.startsWith('/v1/payment_intents'),
    );
  }

  /** Listens (again), on the same port. */
  async open(): Promise<void> {
    this.#server = this.#makeServer();
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(this.#port, '127.0.0.1', () => resolve());
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Connections are refused from now on. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #makeServer(): Server {
    return createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => this.#pass(incoming, outgoing, Buffer.concat(chunks)));
    });
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void {
    const { method = '', url: path = '', headers } = incoming;
    this.seen.push({ method, path, headers, body: body.toString() });
    const { answerNext } = this;
    if (answerNext !== null) {
      this.answerNext = null;
      outgoing.writeHead(answerNext.status, answerNext.headers).end(answerNext.body);
      return;
    }
    const onward = request(this.target + path, { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    onward.end(body);
  }
}
