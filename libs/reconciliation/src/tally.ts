import { formatMajor } from '#money/money.js';
import type { ReportLine } from './read-line.js';

/** Sums in minor units, as decimal text. */
export type Totals = Record<string, { gross: string; fee: string; net: string }>;

/** What the publisher of a report says that it comes to. Amounts in major units, as in the lines. */
export type Summary = { lines: number; sha256: string; totals: Totals };

/** Counts lines and days, and adds up each currency. */
export class Tally {
  lines = 0;
  badLines = 0;
  readonly #sums = new Map<string, { gross: bigint; fee: bigint }>();
  readonly #days = new Map<string, number>();

  add(read: ReportLine | string): void {
    this.lines += 1;
    if (typeof read === 'string') {
      this.badLines += 1;
      return;
    }
    const { currency, gross, fee, createdAt } = read;
    const sum = this.#sums.get(currency);
    if (sum) {
      sum.gross += BigInt(gross);
      sum.fee += BigInt(fee);
    } else this.#sums.set(currency, { gross: BigInt(gross), fee: BigInt(fee) });
    const day = createdAt.toISOString().slice(0, 10);
    this.#days.set(day, (this.#days.get(day) ?? 0) + 1);
  }

  /** The day of most lines; null of a file without any. */
  day(): string | null {
    return [...this.#days].reduce<[string | null, number]>(
      (most, [day, count]) => (count > most[1] ? [day, count] : most),
      [null, 0],
    )[0];
  }

  /** In minor units. */
  totals(): Totals {
    return this.#print(String);
  }

  /** In major units, as the summary prints them. */
  printed(): Totals {
    return this.#print(formatMajor);
  }

  #print(shown: (amount: bigint, currency: string) => string): Totals {
    const sums = [...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      sums.map(([currency, { gross, fee }]) => [
        currency,
        {
          gross: shown(gross, currency),
          fee: shown(fee, currency),
          net: shown(gross - fee, currency),
        },
      ]),
    );
  }
}

/** In what a file differs from its summary, in words; null where it does not. */
export function differenceFrom(summary: Summary, tally: Tally, sha256: string): string | null {
  if (summary.lines !== tally.lines) {
    return `it has ${tally.lines} lines, and its summary says ${summary.lines}`;
  }
  const printed = tally.printed();
  const currencies = new Set([...Object.keys(summary.totals), ...Object.keys(printed)]);
  for (const currency of [...currencies].sort()) {
    for (const column of ['gross', 'fee', 'net'] as const) {
      const [told, found] = [summary.totals[currency]?.[column], printed[currency]?.[column]];
      if (told !== found) {
        return `${column} in ${currency} is ${found ?? 'nothing'}, and its summary says ${told ?? 'nothing'}`;
      }
    }
  }
  return summary.sha256 === sha256 ? null : 'its sha256 is not that of its summary';
}
