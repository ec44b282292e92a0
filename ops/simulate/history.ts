import type { Request, Response } from './http.js';

/** One line of what clients sent and saw. */
export type HistoryLine = {
  seq: number;
  at: string;
  call: number;
  type: 'invoke' | 'answer' | 'lost';
  client: string;
  account: string;
  method: string;
  path: string;
  key: string | null;
  body: string | null;
  status?: number;
  text?: string;
  whole?: boolean;
  headers?: Record<string, string>;
};

type Call = Pick<HistoryLine, 'call' | 'client' | 'account' | 'method' | 'path' | 'key' | 'body'>;

/** What the clients sent and saw, as they saw it. */
export class History {
  readonly lines: HistoryLine[] = [];
  #calls = 0;

  constructor(private readonly nowMs: () => number) {}

  invoke(client: string, account: string, request: Request): Call {
    const call = {
      call: (this.#calls += 1),
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
    const at = new Date(this.nowMs()).toISOString(); // tidy-allow: the virtual instant
    this.lines.push({ seq: this.lines.length + 1, at, ...line });
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
