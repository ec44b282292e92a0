import { randomUUID } from 'node:crypto';
import type { HistoryLine } from '../../../ops/checker/books.js';
import { type Answer, type ApiClient, honestBody } from '#testing/http.js';

/** Writes down what its client sends and hears, as the clients of a proof do. */
export class RecordedClient {
  constructor(
    readonly client: ApiClient,
    readonly account: string,
    readonly name: string,
    readonly lines: HistoryLine[],
  ) {}

  /** A payment with an honest body, but for what is said otherwise. */
  pay(body: object, key: string, hears: Hears = 'whole', headers: Record<string, string> = {}) {
    const text = JSON.stringify({ ...honestBody(), ...body });
    return this.call('POST', '/v1/payments', { body: text, key, hears, headers });
  }

  post(path: string, body: object | null, key: string | null = randomUUID()): Promise<Answer> {
    return this.call('POST', path, { body: body && JSON.stringify(body), key });
  }

  get(path: string): Promise<Answer> {
    return this.call('GET', path, {});
  }

  private async call(method: string, path: string, asked: Asked): Promise<Answer> {
    const { body = null, key = null, hears = 'whole', headers = {} } = asked;
    const call = `${this.name}-${this.lines.length}`;
    const line = { call, client: this.name, account: this.account, method, path, key, body };
    this.add({ ...line, type: 'invoke' });
    const answer = await this.client.send(method, path, {
      ...(body === null ? {} : { body }),
      headers: {
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...(key === null ? {} : { 'idempotency-key': key }),
        ...headers,
      },
    });
    this.add({ ...line, ...received(answer, hears) });
    return answer;
  }

  private add(line: Omit<HistoryLine, 'seq' | 'at'>): void {
    this.lines.push({ seq: this.lines.length + 1, at: Date.now(), ...line });
  }
}

/** `nothing`: the connection was reset; `half`: in the middle of the answer. */
export type Hears = 'whole' | 'half' | 'nothing';
type Asked = {
  body?: string | null;
  key?: string | null;
  hears?: Hears;
  headers?: Record<string, string>;
};

function received({ status, text, headers }: Answer, hears: Hears) {
  if (hears === 'nothing') return { type: 'lost' as const };
  const head = { status, headers: headersOf(headers) };
  if (hears === 'whole') return { type: 'answer' as const, ...head, text, whole: true };
  return { type: 'lost' as const, ...head, text: text.slice(0, text.length / 2), whole: false };
}

function headersOf(headers: Headers): NonNullable<HistoryLine['headers']> {
  const names = [
    'location',
    'content-type',
    'idempotent-replayed',
    'original-request',
    'retry-after',
  ];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name.replaceAll('-', '_'), value]];
    }),
  );
}
