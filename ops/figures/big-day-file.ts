import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { formatMajor } from '#money/money.js';
import { BIG_DAY, named, type BigLine } from './big-day.js';
import { Wrongs, type PlantedWrong } from './big-day-wrongs.js';
import { progress } from './progress.js';

export type BigReport = {
  file: string;
  lines: number;
  brokenLines: number;
  planted: PlantedWrong[];
};

/**
 * Writes the report of a big day, its summary beside it, and says what is wrong in it. It has a byte order
 * mark, CRLF, thousands separators and a few broken lines, none of which may be taken for a difference.
 */
export async function writeBigDay(
  file: string,
  { accountId, payments, each }: { accountId: string; payments: number; each: number },
): Promise<BigReport> {
  const wrongs = new Wrongs(payments, each);
  const report = new ReportFile(file, accountId);
  for (let n = 1; n <= payments; n += 1) {
    if (n % Math.floor(payments / BROKEN.length) === 0) await report.broken();
    for (const line of wrongs.linesOf(n)) await report.line(line);
    if (n % PAYMENTS_A_WORD === 0) progress(`wrote the lines of ${n} of ${payments} payments`);
  }
  const off = await report.payouts();
  await report.end();
  return {
    file,
    lines: report.lines,
    brokenLines: report.brokenLines,
    planted: [...wrongs.planted, off],
  };
}

const HEADER =
  'balance_transaction_id,created_utc,available_on_utc,currency,gross,fee,net,reporting_category,source_id,' +
  'charge_id,payment_intent_id,automatic_payout_id,payment_metadata[payonce_account],payment_metadata[payonce_intent]';

/** Cut off, no number, no currency. */
const BROKEN = [
  'txn_broken,2026-01-31 10:00:00',
  'txn_broken,2026-01-31 10:00:00,2026-01-31 10:00:00,myr,five,0.00,5.00,charge,ch,ch,pi,,,',
  'txn_broken,2026-01-31 10:00:00,2026-01-31 10:00:00,zzz,5.00,0.00,5.00,charge,ch,ch,pi,,,',
];

const BYTES_A_PIECE = 1 << 18;
const PAYMENTS_A_WORD = 500_000;

class ReportFile {
  lines = 0;
  brokenLines = 0;
  readonly #stream;
  readonly #hash = createHash('sha256');
  readonly #sums = new Map<string, { gross: bigint; fee: bigint }>();
  #text = `\uFEFF${HEADER}\r\n`;

  constructor(
    private readonly file: string,
    private readonly accountId: string,
  ) {
    this.#stream = createWriteStream(file);
  }

  line(line: BigLine): Promise<void> | void {
    const sum = this.#sums.get(line.currency) ?? { gross: 0n, fee: 0n };
    sum.gross += BigInt(line.gross);
    sum.fee += BigInt(line.fee);
    this.#sums.set(line.currency, sum);
    this.lines += 1;
    return this.#add(this.#printed(line));
  }

  broken(): Promise<void> | void {
    this.lines += 1;
    const text = BROKEN[this.brokenLines % BROKEN.length] ?? '';
    this.brokenLines += 1;
    return this.#add(text);
  }

  /** Each takes away what its lines come to; that of the last currency takes one unit more, which is returned. */
  async payouts(): Promise<PlantedWrong> {
    const sums = [...this.#sums].map(([currency, { gross, fee }]) => ({
      currency,
      net: gross - fee,
    }));
    for (const [at, { currency, net }] of sums.entries()) {
      const shift = at === sums.length - 1 ? 1 : 0;
      await this.line({
        transactionId: named('txp', currency),
        createdMs: Date.parse(`${BIG_DAY}T23:59:59Z`),
        currency,
        gross: Number(-net) - shift,
        fee: 0,
        category: 'payout',
        sourceId: payoutId(currency),
        chargeId: '',
        intentId: '',
        intent: '',
      });
    }
    const last = sums.at(-1)?.currency ?? '';
    return { kind: 'payout_sum', reference: payoutId(last), amount: -1 };
  }

  async end(): Promise<void> {
    this.#hash.update(this.#text);
    this.#stream.end(this.#text);
    await finished(this.#stream);
    const totals = [...this.#sums].map(([currency, { gross, fee }]) => {
      const shown = (amount: bigint) => formatMajor(amount, currency);
      return [currency, { gross: shown(gross), fee: shown(fee), net: shown(gross - fee) }];
    });
    const summary = {
      lines: this.lines,
      sha256: this.#hash.digest('hex'),
      totals: Object.fromEntries(totals),
    };
    await writeFile(`${this.file}.summary.json`, JSON.stringify(summary));
  }

  #printed(line: BigLine): string {
    const { currency, gross, fee, intent } = line;
    const at = new Date(line.createdMs).toISOString().slice(0, 19).replace('T', ' ');
    const shown = (amount: number) => separated(formatMajor(amount, currency));
    return [
      line.transactionId,
      at,
      at,
      currency,
      shown(gross),
      shown(fee),
      shown(gross - fee),
      line.category,
      line.sourceId,
      line.chargeId,
      line.intentId,
      payoutId(currency),
      intent && this.accountId,
      intent,
    ].join(',');
  }

  /** Waits only when a piece is full and the disk has not taken the ones before it. */
  #add(row: string): Promise<void> | void {
    this.#text += `${row}\r\n`;
    if (this.#text.length < BYTES_A_PIECE) return;
    const piece = this.#text;
    this.#text = '';
    this.#hash.update(piece);
    if (!this.#stream.write(piece)) return once(this.#stream, 'drain').then(() => undefined);
  }
}

function payoutId(currency: string): string {
  return named('po', currency);
}

function separated(amount: string): string {
  if (amount.length < 7) return amount;
  const parted = amount.replace(/\d(?=(\d{3})+(\.|$))/g, '$&,');
  return parted === amount ? amount : `"${parted}"`;
}
