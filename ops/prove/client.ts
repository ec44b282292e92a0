import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { History, Received, Sent } from './history.js';

export type Account = { id: string; apiKey: string };
export type Asked = {
  account: Account;
  method: 'GET' | 'POST';
  path: string;
  key?: string;
  body?: string;
  prefer?: string | undefined;
};
export type Heard = Received & { isLost: boolean; api: string };
type Targets = {
  history: History;
  nextApi: () => { name: string; url: string };
  stopping: AbortSignal;
};

/** How long a client waits for an answer before it gives that connection up. */
const PATIENCE_MS = 6_000;
const PAUSE_MAX_MS = 400;

/** A client that writes down what it sends before it sends it, and what it hears, and retries as real ones do. */
export class RecordedClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(
    readonly name: string,
    private readonly targets: Targets,
  ) {}

  /** One request to the API whose turn it is; it may be dead. */
  async send(asked: Asked, to = this.targets.nextApi()): Promise<Heard> {
    const { account, method, path, key = null, body = null } = asked;
    const sent: Sent = { client: this.name, account: account.id, method, path, key, body };
    const call = this.targets.history.invoke(sent);
    const heard = await this.#exchange(to, asked);
    const { isLost, api: _api, ...received } = heard;
    if (isLost) call.lost(received);
    else call.answer(received);
    return heard;
  }

  /** The same request again until its answer is final, each time to the next API; what it heard last. */
  async sendUntilFinal(asked: Asked, triesMax = 60): Promise<Heard> {
    for (let tries = 1; ; tries++) {
      const heard = await this.send(asked);
      if (isFinal(heard) || tries >= triesMax || this.targets.stopping.aborted) return heard;
      await pause(pauseAfter(heard));
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #exchange({ name, url }: { name: string; url: string }, asked: Asked): Promise<Heard> {
    return new Promise((resolve) => {
      const lost = (received: Received = {}) => resolve({ ...received, isLost: true, api: name });
      if (url === '') return lost(); // nobody listens there now
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const options = {
        method: asked.method,
        agent: this.#agent,
        headers: headersOf(asked),
        signal,
      };
      const sending = request(url + asked.path, options);
      sending.on('error', () => lost());
      sending.on('response', (response) => {
        void read(response).then((received) => {
          if (received.whole) resolve({ ...received, isLost: false, api: name });
          else lost(received);
        });
      });
      sending.end(asked.body);
    });
  }
}

/** Whether there is nothing more to ask for: not a loss, not an answer that says so or that means "come again". */
export function isFinal({ isLost, status = 0, text = '' }: Heard): boolean {
  if (isLost || status === 202 || status >= 500 || status === 429) return false;
  return status !== 409 || !COME_AGAIN.some((code) => text.includes(`"${code}"`));
}

const COME_AGAIN = ['idempotency_key_in_progress', 'payment_in_progress', 'payment_unresolved'];

function pauseAfter({ isLost, headers }: Heard): number {
  if (isLost) return 40;
  return Math.min(Number(headers?.retry_after ?? 0.2) * 1_000, PAUSE_MAX_MS);
}

function headersOf({ account, key, body, prefer }: Asked): Record<string, string> {
  return {
    authorization: `Bearer ${account.apiKey}`,
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(prefer !== undefined && { prefer }),
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
  };
}

function read(response: IncomingMessage): Promise<Received> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    response.on('data', (part: Buffer) => parts.push(part));
    response.on('error', () => {}); // a cut answer; 'close' follows
    response.on('close', () =>
      resolve({
        status: response.statusCode ?? 0,
        text: Buffer.concat(parts).toString('utf8'),
        whole: response.complete,
        headers: kept(response.headers),
      }),
    );
  });
}

const KEPT = {
  location: 'location',
  content_type: 'content-type',
  idempotent_replayed: 'idempotent-replayed',
  original_request: 'original-request',
  retry_after: 'retry-after',
} as const;

function kept(headers: IncomingMessage['headers']): NonNullable<Received['headers']> {
  const found = Object.entries(KEPT).map(([name, header]) => [name, headers[header]]);
  return Object.fromEntries(found.filter(([, value]) => typeof value === 'string'));
}
