import type { HistoryLine } from '../checker/books.js';
import type { Request, Response } from './http.js';

type Call = Pick<HistoryLine, 'call' | 'client' | 'account' | 'method' | 'path' | 'key' | 'body'>;

/** What the clients sent and saw, as they saw it. */
export class History {
  readonly lines: HistoryLine[] = [];
  #calls = 0;

  constructor(private readonly nowMs: () => number) {}

  invoke(client: string, account: string, request: Request): Call {
    const call = {
      call: String((this.#calls += 1)),
      client,
      account,
      method: request.method,
      path: request.path,
      key: request.headers['Idempotency-Key'] ?? null,
      body: request.method === 'POST' ? request.body : null,
    };
    this.#add({ ...call, type: 'invoke' });
    return call;
  }

  answer(call: Call, { status, text, headers }: Response): void {
    this.#add({ ...call, type: 'answer', status, text, whole: true, headers: kept(headers) });
  }

  lost(call: Call): void {
    this.#add({ ...call, type: 'lost' });
  }

  #add(line: Omit<HistoryLine, 'seq' | 'at'>): void {
    this.lines.push({ seq: this.lines.length + 1, at: this.nowMs(), ...line });
  }
}

const KEPT = ['location', 'content-type', 'idempotent-replayed', 'original-request', 'retry-after'];

function kept(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name.replaceAll('-', '_'), value]];
    }),
  );
}
