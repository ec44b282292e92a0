import { seededNumbers, shuffled } from '../seeded.js';
import type { Line } from './lines.js';

/** How a report is written. None of the noise changes what it says; broken lines say nothing. */
export type Form = {
  noise: readonly Noise[];
  broken_lines: number;
  /** What is wrong with the file as a whole, so that its summary does not fit it. */
  damage: Damage | null;
  seed: number;
};

export const NOISES = ['order', 'spacing', 'crlf', 'bom', 'thousands', 'time_zone'] as const;
export type Noise = (typeof NOISES)[number];

export const DAMAGES = ['truncated', 'lines', 'totals', 'sha256'] as const;
export type Damage = (typeof DAMAGES)[number];

export const ORDINARY_FORM: Form = { noise: [], broken_lines: 0, damage: null, seed: 1 };

/** A line, or the text of one that nobody can read. */
export type Row = Line | string;

/** In the order of the form, with its broken lines between the others. */
export function* arranged(lines: Iterable<Line>, form: Form): Generator<Row> {
  const inOrder = form.noise.includes('order') ? shuffled([...lines], form.seed) : lines;
  if (form.broken_lines === 0) yield* inOrder;
  else yield* withBroken(inOrder, brokenBefore(lines, form));
}

/** Where the broken lines stand, as an editor numbers the lines: the header is the first. */
export function brokenNumbers(lines: Iterable<Line>, form: Form): number[] {
  return brokenBefore(lines, form).map((before, n) => before + n + 2);
}

function* withBroken(lines: Iterable<Line>, before: number[]): Generator<Row> {
  let printed = 0;
  let broken = 0;
  for (const line of lines) {
    for (; before[broken] === printed; broken += 1) yield brokenText(broken);
    yield line;
    printed += 1;
  }
  for (; broken < before.length; broken += 1) yield brokenText(broken);
}

/** Before which of the lines each broken one stands, in order. */
function brokenBefore(lines: Iterable<Line>, { broken_lines, seed }: Form): number[] {
  if (broken_lines === 0) return [];
  let count = 0;
  for (const _ of lines) count += 1;
  const next = seededNumbers(seed);
  return Array.from({ length: broken_lines }, () => next() % (count + 1)).sort((a, b) => a - b);
}

function brokenText(n: number): string {
  return (BROKEN[n % BROKEN.length] ?? '').replaceAll('#', String(n));
}

/** Each is broken in one way. The first that stands in a report is the first of these. */
const BROKEN = [
  // Cut off.
  'txn_broken_#,2026-01-31 10:00:00,2026-01-31 10:00:00,myr,25.00',
  // No number.
  'txn_broken_#,2026-01-31 10:00:00,2026-01-31 10:00:00,myr,twelve,0.00,12.00,charge,ch_broken_#,ch_broken_#,pi_broken_#,,,',
  // More decimals than the currency has.
  'txn_broken_#,2026-01-31 10:00:00,2026-01-31 10:00:00,myr,25.001,0.000,25.001,charge,ch_broken_#,ch_broken_#,pi_broken_#,,,',
  // No currency.
  'txn_broken_#,2026-01-31 10:00:00,2026-01-31 10:00:00,zzz,25.00,0.00,25.00,charge,ch_broken_#,ch_broken_#,pi_broken_#,,,',
  // No time.
  'txn_broken_#,yesterday,2026-01-31 10:00:00,myr,25.00,0.00,25.00,charge,ch_broken_#,ch_broken_#,pi_broken_#,,,',
  // A cell too many.
  'txn_broken_#,2026-01-31 10:00:00,2026-01-31 10:00:00,myr,25.00,0.00,25.00,charge,ch_broken_#,ch_broken_#,pi_broken_#,,,,more',
];
