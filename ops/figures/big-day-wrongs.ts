import { BIG_DAY, chargeLine, isDeclined, linesOf, named, type BigLine } from './big-day.js';

/** What a break of it must say: its kind, what it is about, and the minor units that the report has too much of. */
export type PlantedWrong = { kind: string; reference: string; amount: number };

/** What is planted, on which payments. They are far apart, and the kinds take turns. */
export class Wrongs {
  readonly planted: PlantedWrong[] = [];
  readonly #step: number;

  /** `each` of every way to be wrong among so many payments. */
  constructor(
    private readonly payments: number,
    private readonly each: number,
  ) {
    this.#step = Math.floor(payments / 40 / (each * WAYS.length));
    if (this.#step < 1)
      throw new Error(`${payments} payments are too few for ${each} of each kind`);
  }

  /** The lines of a payment as the report has them. */
  linesOf(n: number): BigLine[] {
    const right = linesOf(n, this.payments);
    const way = this.#wayAt(n);
    if (!way) return right;
    const made = way.make(isDeclined(n) ? chargeLine(n, this.payments) : right[0], right[1], n);
    this.planted.push({ kind: way.kind, ...made.says });
    return made.lines;
  }

  #wayAt(n: number): Way | null {
    const slot = Math.floor(n / 40) / this.#step;
    if (!Number.isInteger(slot) || slot >= this.each * WAYS.length) return null;
    const way = WAYS[slot % WAYS.length];
    return way && n % 40 === PLACES[way.on] ? way : null;
  }
}

/** One payment in forty of each: a plain charge, a charge with a refund, a declined one. */
const PLACES = { charge: 21, refund: 25, declined: 3 };

type Made = { lines: BigLine[]; says: Omit<PlantedWrong, 'kind'> };
type Way = {
  kind: string;
  on: keyof typeof PLACES;
  make(charge: BigLine | undefined, refund: BigLine | undefined, n: number): Made;
};

const LATE_MS = Date.parse(`${BIG_DAY}T00:00:00Z`) + 24 * 3_600_000 + 5_000;

const WAYS: Way[] = [
  onCharge('missing_here', (charge, n) => {
    const other = { ...charge, ...names(n), intent: '' };
    return { lines: [charge, other], says: about(other, other.gross) };
  }),
  onCharge('missing_there', (charge) => ({ lines: [], says: about(charge, -charge.gross) })),
  onCharge('amount', (charge, n) => {
    const by = n % 80 < 40 ? 1 : -1;
    return { lines: [{ ...charge, gross: charge.gross + by }], says: about(charge, by) };
  }),
  onCharge('amount', (charge) => ({
    lines: [{ ...charge, gross: -charge.gross }],
    says: about(charge, -2 * charge.gross),
  })),
  onCharge('currency', (charge) => ({
    lines: [{ ...charge, currency: charge.currency === 'jpy' ? 'krw' : 'eur' }],
    says: about(charge, charge.gross),
  })),
  onCharge('status', (charge, n) => {
    const failure = { transactionId: named('txf', n), gross: -charge.gross, fee: 0 };
    const back = { ...charge, ...failure, category: 'charge_failure' };
    return { lines: [charge, back], says: about(charge, -charge.gross) };
  }),
  {
    ...onCharge('status', (charge) => ({ lines: [charge], says: about(charge, charge.gross) })),
    on: 'declined',
  },
  onCharge('duplicate', (charge) => ({
    lines: [charge, charge],
    says: about(charge, charge.gross),
  })),
  onCharge('duplicate', (charge, n) => {
    const second = { ...charge, ...names(n) };
    return { lines: [charge, second], says: about(second, second.gross) };
  }),
  onCharge('fee', (charge) => ({
    lines: [{ ...charge, fee: charge.fee + 1 }],
    says: about(charge, 1),
  })),
  onCharge('refund', (charge, n) => {
    const unasked = {
      transactionId: named('txu', n),
      sourceId: named('reu', n),
      category: 'refund',
    };
    const refund = { ...charge, ...unasked, gross: -charge.gross, fee: 0 };
    return {
      lines: [charge, refund],
      says: { ...about(refund, refund.gross), reference: refund.sourceId },
    };
  }),
  onRefund((refund) => ({
    lines: [],
    says: { reference: refund.sourceId, amount: -refund.gross },
  })),
  onRefund((refund) => ({
    lines: [{ ...refund, gross: refund.gross - 1 }],
    says: { reference: refund.sourceId, amount: -1 },
  })),
  onCharge('timing', (charge) => ({
    lines: [{ ...charge, createdMs: LATE_MS }],
    says: about(charge, charge.gross),
  })),
];

function onCharge(kind: string, make: (charge: BigLine, n: number) => Made): Way {
  return { kind, on: 'charge', make: (charge, _, n) => make(expected(charge), n) };
}

function onRefund(make: (refund: BigLine) => Made): Way {
  return {
    kind: 'refund',
    on: 'refund',
    make: (charge, refund) => {
      const { lines, says } = make(expected(refund));
      return { lines: [expected(charge), ...lines], says };
    },
  };
}

function about(line: BigLine, amount: number): Omit<PlantedWrong, 'kind'> {
  return { reference: line.intentId, amount };
}

/** Of a charge that nobody here made. */
function names(n: number) {
  const chargeId = named('chx', n);
  return {
    transactionId: named('txx', n),
    sourceId: chargeId,
    chargeId,
    intentId: named('pix', n),
  };
}

function expected(line: BigLine | undefined): BigLine {
  if (!line) throw new Error('Bug: the payment has no such line');
  return line;
}
