import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseStrictJson } from '#json/strict-json.js';
import type { ReportFile } from './import-report.js';
import { UnreadableReport } from './read-records.js';
import type { Summary } from './tally.js';

const PIECE_BYTES = 1 << 18;
const SUMMARY_BYTES_MAX = 1 << 20;

/** A report in a file, and its summary where one lies beside it, as `FILE.summary.json`. */
export async function openReportFile(path: string): Promise<ReportFile> {
  const found = await stat(path).catch((error: Error) => {
    throw new UnreadableReport(`${path} cannot be read: ${error.message}`);
  });
  if (!found.isFile()) throw new UnreadableReport(`${path} is no file.`);
  const pieces = createReadStream(path, { highWaterMark: PIECE_BYTES });
  return { source: basename(path), pieces, summary: await summaryBeside(path) };
}

async function summaryBeside(path: string): Promise<Summary | null> {
  const name = `${path}.summary.json`;
  try {
    return readSummary(await readFile(name), name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The report of one day, from the mock processor at that address. */
export async function fetchMockReport(
  base: string,
  date: string,
  signal?: AbortSignal,
): Promise<ReportFile> {
  const url = new URL('/_control/settlement', base);
  url.searchParams.set('date', date);
  const report = await get(url, signal);
  if (report.body === null) throw new UnreadableReport(`${url.href} answered nothing.`);
  url.searchParams.set('part', 'summary');
  const told = await get(url, signal);
  const summary = readSummary(Buffer.from(await told.arrayBuffer()), url.href);
  url.searchParams.delete('part');
  return { source: url.href, pieces: piecesOf(report.body), summary };
}

async function get(url: URL, signal?: AbortSignal): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(url, { redirect: 'error', ...(signal && { signal }) });
  } catch (error) {
    const { cause } = error as Error;
    throw new UnreadableReport(`${url.href} cannot be reached: ${String(cause ?? error)}`);
  }
  if (answer.ok) return answer;
  const text = (await answer.text()).slice(0, 300).replace(/\s+/g, ' ');
  throw new UnreadableReport(`${url.href} answered ${answer.status}: ${text}`);
}

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of body) yield Buffer.from(piece.buffer, piece.byteOffset, piece.length);
}

function readSummary(bytes: Buffer, name: string): Summary {
  const wrong = new UnreadableReport(`${name} is no summary of a report.`);
  if (bytes.length > SUMMARY_BYTES_MAX) throw wrong;
  const { lines, sha256, totals } = (jsonOf(bytes) ?? {}) as Record<string, unknown>;
  if (!Number.isSafeInteger(lines) || typeof sha256 !== 'string' || !isTotals(totals)) throw wrong;
  return { lines: lines as number, sha256: sha256.toLowerCase(), totals };
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return parseStrictJson(bytes);
  } catch {
    return null;
  }
}

function isTotals(value: unknown): value is Summary['totals'] {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((sums) => {
    const { gross, fee, net } = (sums ?? {}) as Record<string, unknown>;
    return [gross, fee, net].every((sum) => typeof sum === 'string');
  });
}
