import { parseItem } from 'structured-headers';

export type KeyReading =
  | { kind: 'key'; key: string }
  | { kind: 'missing' }
  | { kind: 'invalid'; detail: string }
  | { kind: 'duplicated' };

/**
 * Reads `Idempotency-Key` from Node's `req.rawHeaders`. Never from `req.headers`: there Node has
 * joined two equal lines into `a, a`, which would pass for one key that nobody sent.
 *
 * The bare form `abc` and the structured-field string `"abc"` are the same key. The quoted form may
 * hold commas and quotes; in the bare form they could be two lines that a proxy joined, and a guess
 * could turn one intent into two.
 */
export function readIdempotencyKey(rawHeaders: string[]): KeyReading {
  const [value, ...others] = headerLines(rawHeaders);
  if (value === undefined) return { kind: 'missing' };
  if (others.length > 0) return { kind: 'duplicated' };
  return value.startsWith('"') ? readQuoted(value) : readBare(value);
}

/** Characters of a key, after unquoting. */
export const KEY_LENGTH_MAX = 255;

function headerLines(rawHeaders: string[]): string[] {
  const lines: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'idempotency-key') continue;
    lines.push(trimBlanks(rawHeaders[index + 1] ?? ''));
  }
  return lines;
}

function readQuoted(value: string): KeyReading {
  let item: unknown;
  try {
    [item] = parseItem(value); // its second member, the parameters, says nothing about the key
  } catch {
    return invalid('The quoted form must be one structured-field string, as in "abc".');
  }
  return typeof item === 'string' ? accept(item) : invalid('The quoted form must be a string.');
}

function readBare(value: string): KeyReading {
  if (/[,"]/.test(value)) {
    return invalid('A comma or a quote is only allowed inside the quoted form, as in "a,b".');
  }
  return accept(value);
}

function accept(key: string): KeyReading {
  if (key.length === 0) return invalid('The key is empty.');
  if (key.length > KEY_LENGTH_MAX) {
    return invalid(`The key has ${key.length} characters; at most ${KEY_LENGTH_MAX} are allowed.`);
  }
  if (!/^[\x20-\x7e]+$/.test(key)) {
    return invalid('The key may hold printable ASCII characters only.');
  }
  return { kind: 'key', key };
}

function invalid(detail: string): KeyReading {
  return { kind: 'invalid', detail };
}

/** Blanks and tabs only: `trim` would also take what an attacker calls white space. */
function trimBlanks(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start += 1;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end -= 1;
  return value.slice(start, end);
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}
