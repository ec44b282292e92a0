import { type Socket, connect } from 'node:net';
import type { Answer } from './http.js';

/** Bytes as one writes them, so that no client library tidies what is sent. Strings are Latin-1. */
export type Raw = string | Buffer;

/** A POST /v1/payments whose every line is the caller's. Content-Length is right unless `lines` say otherwise. */
export function rawPayment(apiKey: string, lines: Raw[], body: Raw): Buffer {
  const content = bytes(body);
  const said = lines.map((line) => bytes(line).toString('latin1').toLowerCase());
  const framed = said.some((line) => /^(content-length|transfer-encoding)\b/.test(line));
  const typed = said.some((line) => line.startsWith('content-type'));
  const head: Raw[] = [
    'POST /v1/payments HTTP/1.1',
    'Host: 127.0.0.1',
    'Connection: close',
    `Authorization: Bearer ${apiKey}`,
    ...(typed ? [] : ['Content-Type: application/json']),
    ...(framed ? [] : [`Content-Length: ${content.length}`]),
    ...lines,
  ];
  return Buffer.concat([...head.flatMap((line) => [bytes(line), CRLF]), CRLF, content]);
}

/** Sends bytes on a connection of their own and reads the first answer. `end` closes our half after them. */
export async function sendRaw(
  url: string,
  request: Buffer,
  { end = false }: { end?: boolean } = {},
): Promise<Answer & { raw: string }> {
  const socket = await open(url);
  if (end) socket.end(request);
  else socket.write(request);
  const raw = await untilClosed(socket);
  return { ...parse(raw), raw };
}

export async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

export const CRLF = Buffer.from('\r\n');
const PATIENCE_MS = 30_000;

function bytes(raw: Raw): Buffer {
  return typeof raw === 'string' ? Buffer.from(raw, 'latin1') : raw;
}

/** All that the server says until it hangs up; it always must, for a request that says `Connection: close`. */
function untilClosed(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(`no end of the answer in ${PATIENCE_MS} ms: ${Buffer.concat(chunks).toString()}`),
      );
    }, PATIENCE_MS);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => {}); // a reset after the answer is the server's way to hang up
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
  });
}

function parse(raw: string): Answer {
  const split = raw.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = raw.slice(0, Math.max(split, 0)).split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const length = headers.get('content-length');
  const rest = Buffer.from(raw.slice(split + 4));
  const text = (length === null ? rest : rest.subarray(0, Number(length))).toString();
  return { status: Number(statusLine.split(' ')[1]), headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
