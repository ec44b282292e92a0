import { type Socket, connect } from 'node:net';

/** One answer as it stood on the wire. */
export type WireAnswer = {
  status: number;
  /** Names in lower case; of a header that came twice, both values. */
  headers: Map<string, string[]>;
  text: string;
  /** Head and body as they came. */
  raw: string;
};

/** `cut`: the connection ended first. `hang`: nothing came in time. */
export type WireEnd = { kind: 'answer'; answer: WireAnswer } | { kind: 'cut' } | { kind: 'hang' };

type Waiting = { headOnly: boolean; settle: (end: WireEnd) => void; timer: NodeJS.Timeout };

/**
 * One HTTP/1.1 connection, written byte by byte by its user: what it sends is no client library's idea of a
 * request. Several requests may be on their way at once; the answers come in their order.
 */
export class Lane {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  #bytes: Buffer = Buffer.alloc(0);
  #ended = false;

  private constructor(
    socket: Socket,
    private readonly patienceMs: number,
  ) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('end', () => this.#end(true));
    socket.on('error', () => {}); // 'close' follows
    socket.on('close', () => this.#end(true));
  }

  static async open(url: string, patienceMs = PATIENCE_MS): Promise<Lane> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new Lane(socket, patienceMs);
  }

  get isOpen(): boolean {
    return !this.#ended;
  }

  /** Sends these bytes and waits for one answer. */
  ask(bytes: Buffer, { headOnly = false } = {}): Promise<WireEnd> {
    const end = this.awaitAnswer(headOnly);
    void this.write(bytes);
    return end;
  }

  /** Bytes that need be no whole request. Resolves when they are out. */
  write(bytes: Buffer): Promise<void> {
    if (this.#ended) return Promise.resolve();
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  awaitAnswer(headOnly = false): Promise<WireEnd> {
    if (this.#ended) return Promise.resolve({ kind: 'cut' });
    return new Promise((settle) => {
      const timer = setTimeout(() => this.#giveUp(), this.patienceMs);
      this.#waiting.push({ headOnly, settle, timer });
    });
  }

  /** Says that nothing more will come from us; answers are still read. */
  endOurHalf(): void {
    if (!this.#ended) this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
    this.#end(false);
  }

  #read(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const found = takeAnswer(this.#bytes, first.headOnly, false);
      if (found === null) return;
      this.#bytes = found.rest;
      if (found.answer.status >= 200) this.#settle({ kind: 'answer', answer: found.answer });
    }
  }

  /** The end of the connection is the end of an answer without a length. */
  #end(byPeer: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    const [first] = this.#waiting;
    const found = byPeer && first ? takeAnswer(this.#bytes, first.headOnly, true) : null;
    if (found !== null && found.answer.status >= 200) {
      this.#settle({ kind: 'answer', answer: found.answer });
    }
    while (this.#waiting.length > 0) this.#settle({ kind: 'cut' });
    this.#socket.destroy();
  }

  #giveUp(): void {
    this.#ended = true;
    this.#settle({ kind: 'hang' });
    while (this.#waiting.length > 0) this.#settle({ kind: 'cut' });
    this.#socket.destroy();
  }

  #settle(end: WireEnd): void {
    const first = this.#waiting.shift();
    if (first === undefined) return;
    clearTimeout(first.timer);
    first.settle(end);
  }
}

/** The server itself gives up on a request after 15 s, and on its processor after 5 s. */
const PATIENCE_MS = 25_000;
const HEAD_END = '\r\n\r\n';

function takeAnswer(
  bytes: Buffer,
  headOnly: boolean,
  ended: boolean,
): { answer: WireAnswer; rest: Buffer } | null {
  const split = bytes.indexOf(HEAD_END);
  if (split === -1) return null;
  const [statusLine = '', ...lines] = bytes.subarray(0, split).toString('latin1').split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const headers = headersOf(lines);
  const start = split + HEAD_END.length;
  const bodyless = headOnly || status < 200 || status === 204 || status === 304;
  const body = bodyless ? { text: '', end: start } : takeBody(bytes, start, headers, ended);
  if (body === null) return null;
  const raw = bytes.subarray(0, start).toString('latin1') + body.text;
  return { answer: { status, headers, text: body.text, raw }, rest: bytes.subarray(body.end) };
}

function headersOf(lines: string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return headers;
}

function takeBody(
  bytes: Buffer,
  start: number,
  headers: Map<string, string[]>,
  ended: boolean,
): { text: string; end: number } | null {
  const length = headers.get('content-length')?.[0];
  if (length !== undefined) {
    const end = start + Number(length);
    return bytes.length < end ? null : { text: bytes.subarray(start, end).toString(), end };
  }
  if (headers.get('transfer-encoding')?.[0] === 'chunked') return takeChunks(bytes, start);
  return ended ? { text: bytes.subarray(start).toString(), end: bytes.length } : null;
}

function takeChunks(bytes: Buffer, start: number): { text: string; end: number } | null {
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return null;
    if (size === 0) return { text: Buffer.concat(chunks).toString(), end };
    chunks.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}
