import type { Operation } from './contract-document.js';

/** A request before it is bytes, in parts that can be spoilt one by one. */
export type Draft = {
  /** What it was meant for. */
  operation: Operation;
  method: string;
  /** As on the wire, without the query. */
  path: string;
  /** As on the wire; null for no question mark. */
  query: string | null;
  /** Latin-1; a name may come twice. */
  headers: [name: string, value: string][];
  body: Buffer | null;
  /** What may stand in no answer that refuses it. */
  secrets: string[];
  /** The rest of it breaks HTTP, so it goes on a connection of its own: bytes in place of what would be sent. */
  broken: Buffer | null;
};

export function bytesOf(draft: Draft): Buffer {
  if (draft.broken !== null) return draft.broken;
  return Buffer.concat([headOf(draft), draft.body ?? Buffer.alloc(0)]);
}

export function headOf(draft: Draft, { framed = true } = {}): Buffer {
  const { body } = draft;
  const lines = [
    `${draft.method} ${targetOf(draft)} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...draft.headers.map(([name, value]) => `${name}: ${value}`),
    ...(framed && body !== null ? [`Content-Length: ${body.length}`] : []),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

export function targetOf({ path, query }: Draft): string {
  return query === null ? path : `${path}?${query}`;
}

export function setHeader(draft: Draft, name: string, value: string): void {
  dropHeader(draft, name);
  draft.headers.push([name, value]);
}

export function dropHeader(draft: Draft, name: string): void {
  draft.headers = draft.headers.filter(([own]) => own.toLowerCase() !== name.toLowerCase());
}

export function headerOf(draft: Draft, name: string): string | undefined {
  return draft.headers.find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1];
}
