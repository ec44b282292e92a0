import type { Socket } from 'node:net';
import { Stripe } from 'stripe';
import { buildConnector, Pool } from 'undici';

import type { Clock } from '#seams/clock.js';
import { sendOnce, type Exchange, type OneRequest } from './send-once.js';

/** Takes one request to the processor and comes back with how that ended. */
export type Carry = (request: OneRequest) => Promise<Exchange>;

/**
 * Carries the requests of the Stripe client, and keeps it from doing anything else with them.
 *
 * The client's own HTTP client sends again after a reset even with retries off, takes its timeout for
 * idle time instead of a deadline, and dies of an unhandled rejection when an answer is a bare JSON
 * text or number. So it is used for what it does well, typed parameters and their form encoding, and
 * is told that every call ended as an empty success: it has nothing to retry and nothing to parse. How
 * the call really ended is inside, as an `Exchange`.
 */
export class StripeTransport extends Stripe.HttpClient {
  private readonly pool: Pool;
  private readonly connecting = new Set<Socket>();
  private readonly carry: Carry;

  /** The pool's origin is fixed: whatever host a call names, the secret key goes nowhere else. */
  constructor(
    origin: string,
    private readonly clock: Clock,
    carry: Carry | null,
  ) {
    super();
    this.carry = carry ?? ((request) => sendOnce(this.pool, request));
    this.pool = new Pool(origin, {
      connections: CONNECTIONS_MAX,
      keepAliveTimeout: KEEP_ALIVE_MS,
      pipelining: 1,
      connect: this.connector(),
    });
  }

  override getClientName(): string {
    return 'undici';
  }

  override async makeRequest(
    _host: string,
    _port: string,
    path: string,
    method: string,
    headers: Record<string, unknown>,
    body: string,
    _protocol: string,
    timeoutMs: number,
  ): Promise<EmptySuccess> {
    const exchange = await this.carry({
      method: method === 'POST' ? 'POST' : 'GET',
      path,
      headers: headersToSend(method, headers),
      body: method === 'POST' ? body : '',
      timeoutMs,
      clock: this.clock,
    });
    return new EmptySuccess(exchange);
  }

  /** Ends idle connections at once and those in use with an error; a call that has not begun is never sent. */
  async close(): Promise<void> {
    await this.pool.destroy();
    for (const socket of this.connecting) socket.destroy();
  }

  /** The pool forgets what is still connecting when it is destroyed, so that is remembered here. */
  private connector(): buildConnector.connector {
    const connect = buildConnector({ timeout: CONNECT_MS_MAX }) as (
      ...given: Parameters<buildConnector.connector>
    ) => Socket;
    return (options, callback) => {
      const socket = connect(options, (...made) => {
        this.connecting.delete(socket);
        callback(...made);
      });
      this.connecting.add(socket);
    };
  }
}

/** The exchange behind what a method of the Stripe client returned. */
export function exchangeOf(returned: unknown): Exchange {
  return (returned as { exchange: Exchange }).exchange;
}

class EmptySuccess extends Stripe.HttpClientResponse {
  constructor(private readonly exchange: Exchange) {
    super(200, {});
  }

  override getRawResponse(): unknown {
    return {};
  }

  override toJSON(): Promise<{ exchange: Exchange }> {
    return Promise.resolve({ exchange: this.exchange });
  }
}

/**
 * The bytes must be a function of the charge alone, so these headers and no others: what the client
 * adds about itself changes with its version, with Node's and with the environment it runs in.
 */
function headersToSend(method: string, headers: Record<string, unknown>): Record<string, string> {
  const names = method === 'POST' ? [...READ_HEADERS, ...WRITE_HEADERS] : READ_HEADERS;
  const kept = names.map((name) => [name, String(headers[name])]);
  return { ...Object.fromEntries(kept), 'User-Agent': 'Payonce' };
}

const READ_HEADERS = ['Accept', 'Authorization', 'Stripe-Version'];
const WRITE_HEADERS = ['Content-Type', 'Idempotency-Key'];

const CONNECTIONS_MAX = 64;

/** Shorter than the idle time of usual servers: a reset on reuse makes a customer wait for recovery. */
const KEEP_ALIVE_MS = 4_000;

/** Only bounds attempts to connect that outlive their call; the call itself has its own deadline. */
const CONNECT_MS_MAX = 10_000;
