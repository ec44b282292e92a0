import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { formatMajor } from '#money/money.js';
import { settleDueRefunds } from '../refunds.js';
import type { World } from '../world.js';
import { arranged, brokenNumbers, type Form } from './form.js';
import { linesOfDay, type Line } from './lines.js';
import { isOver, payOut, payoutsOf, withPayouts } from './payouts.js';
import { plantedDay, withPlanted } from './planted.js';
import { Printer } from './print.js';

export async function reportOf(world: World, date: string): Promise<Report> {
  await settleDueRefunds(world);
  await payOut(world, date);
  const report = new Report(world, date);
  await world.book.synced();
  return report;
}

/**
 * One day's report as it stands now, printed piece by piece: it is never in memory as a whole, unless its
 * lines shall be out of order.
 */
export class Report {
  readonly form: Form;
  readonly #lines: Iterable<Line>;

  constructor(world: World, date: string) {
    const { state } = world.book;
    this.form = state.settlement.formOf(date);
    const booked = linesOfDay(state, date);
    const planted = plantedDay(state.settlement.planted, date);
    const payouts = isOver(world, date) ? payoutsOf(state, date) : null;
    this.#lines = {
      *[Symbol.iterator]() {
        const said = withPlanted(booked, planted);
        yield* payouts ? withPayouts(said, payouts, planted.shifts) : said;
      },
    };
  }

  brokenNumbers(): number[] {
    return brokenNumbers(this.#lines, this.form);
  }

  /** As it is sent: of a truncated one, half of the last row is missing. */
  *pieces(): Generator<Buffer> {
    if (this.form.damage !== 'truncated') return yield* this.#whole();
    let held: Buffer | null = null;
    for (const piece of this.#whole()) {
      if (held) yield held;
      held = piece;
    }
    if (held) yield held.subarray(0, held.length - Math.ceil(lastRow(held).length / 2));
  }

  /** What the report should come to, for whoever has read it: payouts count as any other line. */
  async summary(): Promise<Summary> {
    const hash = createHash('sha256');
    const tally = new Tally();
    for (const piece of this.#whole(tally)) {
      hash.update(piece);
      await setImmediate();
    }
    const { damage } = this.form;
    return {
      lines: tally.lines + (damage === 'lines' ? 1 : 0),
      sha256: hash.update(damage === 'sha256' ? ' ' : '').digest('hex'),
      totals: tally.totals(damage === 'totals' ? 1n : 0n),
    };
  }

  *#whole(tally?: Tally): Generator<Buffer> {
    const printer = new Printer(this.form);
    let text = printer.header();
    let rows = 1;
    for (const row of arranged(this.#lines, this.form)) {
      tally?.add(row);
      text += printer.row(row);
      rows += 1;
      if (rows < ROWS_A_PIECE) continue;
      yield Buffer.from(text);
      text = '';
      rows = 0;
    }
    if (rows > 0) yield Buffer.from(text);
  }
}

export type Summary = {
  /** Without the header; broken ones count. */
  lines: number;
  sha256: string;
  /** Of the lines that are not broken. */
  totals: Record<string, { gross: string; fee: string; net: string }>;
};

const ROWS_A_PIECE = 500;

function lastRow(piece: Buffer): Buffer {
  return piece.subarray(piece.lastIndexOf('\n', piece.length - 2) + 1);
}

class Tally {
  lines = 0;
  readonly #sums = new Map<string, { gross: bigint; fee: bigint }>();

  add(row: Line | string): void {
    this.lines += 1;
    if (typeof row === 'string') return;
    const { currency, gross, fee } = row;
    const sum = this.#sums.get(currency) ?? { gross: 0n, fee: 0n };
    this.#sums.set(currency, { gross: sum.gross + BigInt(gross), fee: sum.fee + BigInt(fee) });
  }

  /** Gross is off by so many minor units, in each currency. */
  totals(offBy: bigint): Summary['totals'] {
    const sums = [...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      sums.map(([currency, { gross, fee }]) => {
        const shown = (amount: bigint) => formatMajor(amount, currency);
        return [
          currency,
          { gross: shown(gross + offBy), fee: shown(fee), net: shown(gross - fee) },
        ];
      }),
    );
  }
}
