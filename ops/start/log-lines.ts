import type { Readable } from 'node:stream';

type Out = NodeJS.WritableStream & { isTTY?: boolean; destroyed?: boolean };

/**
 * Passes a service's output on in whole lines, so that two services never write into one line. Into a
 * file or a pipe the lines go untouched (JSON); a terminal gets a short form for reading.
 */
export function passOn(from: Readable, to: Out, service: string): void {
  let rest = '';
  from.setEncoding('utf8');
  from.on('data', (chunk: string) => {
    const text = rest + chunk;
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    if (end > 0)
      write(from, to, to.isTTY ? forReading(text.slice(0, end), service) : text.slice(0, end));
  });
  from.on('end', () => {
    if (rest !== '') to.write(`${rest}\n`);
  });
  from.on('error', () => {});
}

/** A slow reader slows the service's log down instead of filling our memory. */
function write(from: Readable, to: Out, text: string): void {
  if (to.write(text) || to.destroyed) return;
  from.pause();
  const resume = () => {
    to.off('drain', resume).off('close', resume);
    from.resume();
  };
  to.on('drain', resume).on('close', resume);
}

function forReading(lines: string, service: string): string {
  return lines
    .split('\n')
    .map((line) => (line === '' ? line : shorten(line, service)))
    .join('\n');
}

const UNINTERESTING = new Set([
  'time',
  'level',
  'event',
  'msg',
  'pid',
  'hostname',
  'service',
  'app',
]);

/** `14:02:11 payments-api warning lease.taken_over payment_id=… …`; what is not JSON stays as it is. */
export function shorten(line: string, service: string): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  if (typeof entry !== 'object' || entry === null) return line;
  const facts = Object.entries(entry)
    .filter(([name]) => !UNINTERESTING.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const words = [clockTime(entry['time']), service, entry['level'], entry['event'], entry['msg']];
  return [...words.filter((word) => word !== undefined && word !== ''), ...facts].join(' ');
}

function clockTime(time: unknown): string | undefined {
  if (typeof time !== 'string' && typeof time !== 'number') return undefined;
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date.toTimeString().slice(0, 8);
}
