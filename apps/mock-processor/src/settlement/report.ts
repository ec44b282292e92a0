import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { formatMajor } from '#money/money.js';
import type { World } from '../world.js';
import { linesOfDay, type Line } from './lines.js';
import { isOver, payoutsOf, withPayouts } from './payouts.js';
import { plantedDay, withPlanted } from './planted.js';
import { printHeader, printLine } from './print.js';

/** One day's report as it stands now, printed piece by piece: it is never in memory as a whole. */
export class Report {
  readonly #lines: () => Iterable<Line>;

  constructor(world: World, date: string) {
    const { state } = world.book;
    const booked = linesOfDay(state, date);
    const planted = plantedDay(state.settlement.planted, date);
    const payouts = isOver(world, date) ? payoutsOf(state, date) : null;
    this.#lines = function* lines() {
      const said = withPlanted(booked, planted);
      yield* payouts ? withPayouts(said, payouts, planted.shifts) : said;
    };
  }

  *pieces(tally?: Tally): Generator<Buffer> {
    let rows = [printHeader()];
    for (const line of this.#lines()) {
      tally?.add(line);
      rows.push(printLine(line));
      if (rows.length >= ROWS_A_PIECE) {
        yield bytesOf(rows);
        rows = [];
      }
    }
    if (rows.length > 0) yield bytesOf(rows);
  }

  /** What the report should come to, for whoever has read it: payouts count as any other line. */
  async summary(): Promise<Summary> {
    const hash = createHash('sha256');
    const tally = new Tally();
    for (const piece of this.pieces(tally)) {
      hash.update(piece);
      await setImmediate();
    }
    return { lines: tally.lines, sha256: hash.digest('hex'), totals: tally.totals() };
  }
}

export type Summary = {
  /** Without the header. */
  lines: number;
  sha256: string;
  totals: Record<string, { gross: string; fee: string; net: string }>;
};

const ROWS_A_PIECE = 500;

class Tally {
  lines = 0;
  readonly #sums = new Map<string, { gross: bigint; fee: bigint }>();

  add({ currency, gross, fee }: Line): void {
    this.lines += 1;
    const sum = this.#sums.get(currency) ?? { gross: 0n, fee: 0n };
    this.#sums.set(currency, { gross: sum.gross + BigInt(gross), fee: sum.fee + BigInt(fee) });
  }

  totals(): Summary['totals'] {
    const sums = [...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      sums.map(([currency, { gross, fee }]) => {
        const shown = (amount: bigint) => formatMajor(amount, currency);
        return [currency, { gross: shown(gross), fee: shown(fee), net: shown(gross - fee) }];
      }),
    );
  }
}

function bytesOf(rows: string[]): Buffer {
  return Buffer.from(rows.map((row) => `${row}\n`).join(''));
}
