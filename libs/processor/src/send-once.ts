import type { Dispatcher } from 'undici';

import type { Clock } from '#seams/clock.js';
import { failpoint } from '#seams/failpoints.js';

/**
 * Sends one HTTP request once, and tells how that ended: with a whole answer, or where it broke.
 *
 * What makes "nothing was sent" provable: undici calls `onRequestStart` in the same turn in which it
 * writes the request to the socket, and never before the connection stands. A request that ends
 * without that call (refused, no such host, failed handshake, still waiting at the deadline) has not
 * put a byte on the wire. Everything after that call may have arrived, whatever the error says: undici
 * reports the same reset before and after the bytes have left.
 */
export function sendOnce(dispatcher: Dispatcher, request: OneRequest): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const exchanging = new Exchanging(request, resolve, reject);
    exchanging.startDeadline();
    dispatcher.dispatch(
      {
        method: request.method,
        path: request.path,
        headers: request.headers,
        body: request.body === '' ? null : Buffer.from(request.body),
        // The deadline covers all of it; idle timers would only add a second, different answer.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      exchanging,
    );
  });
}

export type OneRequest = {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body: string;
  /** For connecting, sending, and reading the answer to its last byte, all together. */
  timeoutMs: number;
  clock: Clock;
};

export type Exchange =
  | {
      kind: 'answered';
      status: number;
      /** Names in lower case. A header that was given twice holds both values, joined by a comma. */
      headers: Record<string, string>;
      body: Buffer;
    }
  | { kind: 'failed'; failure: Failure; detail: string };

export const FAILURES = [
  'connect_refused', // nothing was sent: nobody listens there
  'connect_failed', // nothing was sent: no such host, no route, no handshake, or we are closing
  'deadline_before_sending', // nothing was sent: time ran out while connecting or queueing
  'deadline_after_sending',
  'reset', // the connection broke at any moment after the request was begun
  'oversized', // an answer longer than any that we could want
  'garbled', // an answer that is not HTTP
] as const;
export type Failure = (typeof FAILURES)[number];

/** A payment with its charge and fee is some 5 kB; a search for one intent holds a few of them. */
export const ANSWER_BYTES_MAX = 1024 * 1024;

class Exchanging implements Dispatcher.DispatchHandler {
  private readonly deadlineAt: number;
  private readonly deadlineTimer = new AbortController();
  private readonly chunks: Buffer[] = [];
  private controller: Dispatcher.DispatchController | null = null;
  private written: Promise<void> | null = null;
  private ended = false;
  /** Why we ourselves broke it off, which the error that comes back would not tell. */
  private brokenOffAs: Failure | null = null;
  private status = 0;
  private headers: Record<string, string> = {};
  private size = 0;

  constructor(
    private readonly request: OneRequest,
    private readonly resolve: (exchange: Exchange) => void,
    private readonly reject: (reason: unknown) => void,
  ) {
    this.deadlineAt = request.clock.monotonicMs() + request.timeoutMs;
  }

  startDeadline(): void {
    const { clock, timeoutMs } = this.request;
    void clock.sleep(timeoutMs, this.deadlineTimer.signal).then(() => this.passDeadline());
  }

  private passDeadline(): void {
    if (this.ended) return;
    if (this.controller === null) return this.fail('deadline_before_sending', 'not yet connected');
    this.breakOff('deadline_after_sending');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const late = this.request.clock.monotonicMs() >= this.deadlineAt;
    // A call that has ended, or whose time is up, must not be sent any more. And undici may begin a
    // request a second time when a connection breaks; one call sends once, so that is broken off too.
    if (this.ended || late || this.controller !== null) {
      if (late && this.controller === null) this.brokenOffAs = 'deadline_before_sending';
      controller.abort(new Error('broken off before it was written'));
      return;
    }
    this.controller = controller;
    // The write follows in this turn, so a microtask finds the bytes handed to the operating system.
    queueMicrotask(() => {
      this.written = failpoint('c5');
      this.written.catch((error: unknown) => this.crash(error));
    });
  }

  /** Called for interim answers too; the last call is the real one. */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.status = status;
    this.headers = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value ?? '')]),
    );
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > ANSWER_BYTES_MAX) return this.breakOff('oversized');
    this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    const { status, headers } = this;
    this.end({ kind: 'answered', status, headers, body: Buffer.concat(this.chunks) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const code = (error as NodeJS.ErrnoException).code ?? error.name;
    this.fail(this.brokenOffAs ?? this.failureOf(code), code);
  }

  private failureOf(code: string): Failure {
    if (this.controller === null) {
      return code === 'ECONNREFUSED' ? 'connect_refused' : 'connect_failed';
    }
    return NOT_HTTP.test(code) ? 'garbled' : 'reset';
  }

  private breakOff(failure: Failure): void {
    this.brokenOffAs = failure;
    this.controller?.abort(new Error(failure));
  }

  private fail(failure: Failure, detail: string): void {
    this.end({ kind: 'failed', failure, detail });
  }

  private end(exchange: Exchange): void {
    if (this.ended) return;
    this.ended = true;
    this.deadlineTimer.abort();
    this.passFailpoints(exchange).catch((error: unknown) => this.crash(error));
  }

  private async passFailpoints(exchange: Exchange): Promise<void> {
    if (this.written !== null) await this.written;
    if (exchange.kind === 'answered') await failpoint('c6');
    this.resolve(exchange);
  }

  /** A failpoint threw: whoever called is left as a crash at this place would leave it. */
  private crash(error: unknown): void {
    this.ended = true;
    this.deadlineTimer.abort();
    this.reject(error);
  }
}

const NOT_HTTP =
  /^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)/;
