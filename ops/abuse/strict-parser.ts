import { isUtf8 } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import { JsonProblem, parseStrictJson } from '#json/strict-json.js';
import { Dice } from './dice.js';
import { damage, randomText } from './json-texts.js';

export type StrictParserResult = {
  texts: number;
  accepted: number;
  /** By code. */
  refused: Record<string, number>;
  findings: { says: string; text: string }[];
};

/**
 * Texts drawn from the grammar of JSON, half of them with a wound, read by our parser and by the engine's. What the
 * engine refuses, ours refuses; what ours accepts, both read as the same value; and what only ours refuses, it refuses
 * for one of the reasons that there are, found here by other means.
 */
export function runStrictParser({
  seed,
  count,
}: {
  seed: number;
  count: number;
}): StrictParserResult {
  const result: StrictParserResult = { texts: 0, accepted: 0, refused: {}, findings: [] };
  for (let at = 0; at < count; at++) {
    const dice = Dice.ofOne(seed, at);
    const text = Buffer.from(nested(randomText(dice, 5), dice));
    const bytes = dice.chance(0.5) ? text : damage(text, dice);
    const read = readStrictly(bytes);
    result.texts += 1;
    if (read.kind === 'value') result.accepted += 1;
    else if (read.kind === 'refused')
      result.refused[read.code] = (result.refused[read.code] ?? 0) + 1;
    const says = faultOfReading(bytes, read);
    if (says !== null) result.findings.push({ says, text: bytes.toString('latin1') });
  }
  return result;
}

/** Now and then within so many others that the limit lies near. */
function nested(text: string, dice: Dice): string {
  const levels = dice.chance(0.05) ? 26 + dice.below(8) : 0;
  return '['.repeat(levels) + text + ']'.repeat(levels);
}

type Read =
  | { kind: 'value'; value: unknown }
  | { kind: 'refused'; code: string }
  | { kind: 'threw'; error: string };

/** Null where our parser and the engine's agree, or differ for a reason on the list. */
export function faultOfReading(bytes: Buffer, read: Read = readStrictly(bytes)): string | null {
  if (read.kind === 'threw') return `it threw ${read.error}`;
  const reasons = reasonsToRefuse(bytes);
  if (reasons === 'no_json') return read.kind === 'refused' ? null : 'it accepts what is no JSON';
  if (read.kind === 'refused') {
    const known = [...reasons].join(', ') || 'nothing';
    return reasons.has(read.code) ? null : `it says ${read.code} where ${known} is wrong`;
  }
  if (reasons.size > 0) return `it accepts ${[...reasons].join(', ')}`;
  const plain: unknown = JSON.parse(bytes.toString(), (_name, value: unknown) =>
    value === 0 ? 0 : value,
  );
  return isDeepStrictEqual(read.value, plain) ? null : 'it reads another value';
}

function readStrictly(bytes: Buffer): Read {
  try {
    return { kind: 'value', value: parseStrictJson(bytes) };
  } catch (error) {
    if (error instanceof JsonProblem) return { kind: 'refused', code: error.code };
    return { kind: 'threw', error: String(error) };
  }
}

const DEPTH_MAX = 32;
/** Of a text that is JSON, nothing is left between these. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\]:,]|true|false|null/g;

/** Why a text that is JSON may not be taken, by the codes that say so. */
function reasonsToRefuse(bytes: Buffer): Set<string> | 'no_json' {
  const text = bytes.toString();
  if (!isUtf8(bytes) || text.startsWith('\ufeff') || !isJson(text)) return 'no_json';
  const reasons = new Set<string>();
  const open: (Set<string> | null)[] = [];
  const tokens = text.match(TOKEN) ?? [];
  for (const [at, token] of tokens.entries()) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : null);
    else if (token === '}' || token === ']') open.pop();
    else if (token.startsWith('"')) {
      const value = JSON.parse(token) as string;
      if (value.includes('\0') || /\p{Surrogate}/u.test(value)) reasons.add('invalid_encoding');
      if (tokens[at + 1] === ':') noteName(value, open.at(-1) ?? new Set(), reasons);
    } else if (/\d/.test(token) && !isKept(token)) reasons.add('malformed_json');
    if (open.length > DEPTH_MAX) reasons.add('too_deep');
  }
  return reasons;
}

function noteName(name: string, names: Set<string>, reasons: Set<string>): void {
  if (name === '__proto__') reasons.add('malformed_json');
  if (names.has(name)) reasons.add('duplicate_member');
  names.add(name);
}

/** Whether a double, written out again, is the number that was written. */
function isKept(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  const [own, again] = [scaled(literal), scaled(String(value))];
  return own.digits === again.digits && (own.digits === 0n || own.power === again.power);
}

function scaled(literal: string): { digits: bigint; power: number } {
  const [mantissa = '', exponent = '0'] = literal.split(/e/i);
  const [whole = '', fraction = ''] = mantissa.split('.');
  let digits = BigInt(whole.replace('-', '') + fraction) * (whole.startsWith('-') ? -1n : 1n);
  let power = Number(exponent) - fraction.length;
  for (; digits !== 0n && digits % 10n === 0n; digits /= 10n) power += 1;
  return { digits, power };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
