import { currencies, exponentOf } from '#money/currencies.js';
import { ControlRefusal } from '../control-body.js';
import { feeFor } from '../fee.js';
import type { State } from '../state.js';
import { seededNumbers } from '../seeded.js';
import type { World } from '../world.js';
import { dayOf, endOf, startOf } from './day.js';
import { linesOfDay, type Line } from './lines.js';
import { isOver, nameFrom, payoutsOf } from './payouts.js';
import type { AnomalyKind, Planted } from './planted.js';
import { victimsFor } from './victims.js';

export type Ordered = {
  date: string;
  kind: AnomalyKind;
  variant: string;
  count: number;
  seed: number;
};

/**
 * Chooses what a report shall say wrongly. The same book, order and seed choose the same. Each payment is
 * hit at most once, and only one about which nothing else is booked, so that each is one break of one kind.
 */
export function choose(world: World, ordered: Ordered): Planted[] {
  const { state } = world.book;
  const { date, kind, variant, count, seed } = ordered;
  if (kind === 'payout_sum' && !isOver(world, date)) {
    throw new ControlRefusal('date', `date: ${date} is not over, and has no payouts yet.`);
  }
  const next = seededNumbers(seed);
  const victims = victimsFor(state, ordered, next);
  if (victims !== null && victims.length < count) {
    const fit = victims.length === 1 ? 'one line fits' : `${victims.length} lines fit`;
    throw new ControlRefusal('count', `count: only ${fit} ${kind} (${variant}) on ${date}.`);
  }
  const order = nameOfOrder(ordered);
  return Array.from({ length: count }, (_, n) => {
    const name = nameFrom(`planted ${date} ${order} ${n}`);
    const tools = { state, date, next, name };
    const made = makers[`${kind} ${variant}`]?.(victims?.[n] ?? foreignCharge(tools), tools);
    if (!made) throw new Error(`${kind} ${variant} cannot be planted`);
    return { ...NOTHING, date, kind, variant, order, ...made };
  });
}

export function nameOfOrder({ kind, variant, count, seed }: Ordered): string {
  return `${kind} ${variant} ${count} ${seed}`;
}

const NOTHING = { victimId: null, patch: null, extra: null };

type Tools = { state: State; date: string; next: () => number; name: string };
type Made = Pick<Planted, 'reference' | 'amount' | 'currency' | 'intentId'> &
  Partial<Pick<Planted, 'victimId' | 'patch' | 'extra'>>;
type Maker = (victim: Line, tools: Tools) => Made;

const makers: Record<string, Maker | undefined> = {
  'missing_here foreign': (line, { date }) => added(line, date, line.intentId, line),
  'missing_here other_account': (line, { date, name }) => {
    const account = uuidFrom(`account ${name}`);
    const extra = { ...line, account, intent: uuidFrom(`intent ${name}`) };
    return added(line, date, line.intentId, extra);
  },
  'missing_there line': (line) => changed(line, -line.gross, null),
  'amount cent': (line, { next }) => {
    const by = oneOff(next, line.gross);
    return changed(line, by, { gross: line.gross + by });
  },
  'amount sign': (line) => changed(line, -2 * line.gross, { gross: -line.gross }),
  'currency other': (line, { next }) => {
    const others = currencies().filter((code) => isLike(code, line.currency));
    const currency = others[next() % others.length] ?? line.currency;
    return changed(line, line.gross, { currency });
  },
  'status failed_later': (line, { date, name }) =>
    added(line, date, line.intentId, {
      ...opposite(line, line.gross, `txn_${name}`),
      category: 'charge_failure',
    }),
  'status charged_after_all': (line, { date }) => added(line, date, line.intentId, line),
  'duplicate line': (line, { date }) => added(line, date, line.intentId, line),
  'duplicate charge': (line, { date, name }) =>
    added(line, date, `pi_${name}`, { ...line, ...chargeNames(name) }),
  'fee cent': (line, { next }) => {
    const by = oneOff(next, line.fee);
    return changed(line, by, { fee: line.fee + by });
  },
  'refund unasked': (line, { date, name }) =>
    added(line, date, `re_${name}`, unaskedRefund(line, name)),
  'refund missing': (line) => ({ ...changed(line, -line.gross, null), reference: line.sourceId }),
  'refund amount': (line, { next }) => {
    const by = -oneOff(next, -line.gross);
    return { ...changed(line, by, { gross: line.gross + by }), reference: line.sourceId };
  },
  'refund without_charge': (line, { date, name }) =>
    added(line, date, `re_${name}`, unaskedRefund(line, name)),
  'timing next_day': (line, { next }) => {
    const createdMs = endOf(dayOf(line.createdMs)) + (next() % LATE_MS);
    return changed(line, line.gross, { createdMs, availableMs: createdMs });
  },
  'timing next_report': (line, { next, date }) => {
    const createdMs = endOf(date) + (next() % LATE_MS);
    const late = { ...line, createdMs, availableMs: createdMs };
    const extra = { date: dayOf(endOf(date)), line: late };
    return { ...changed(line, line.gross, null), extra };
  },
  'payout_sum cent': ({ currency }, { state, date, next }) => ({
    reference: payoutsOf(state, date).idOf(currency),
    amount: next() % 2 === 0 ? 1 : -1,
    currency,
    intentId: '',
  }),
};

/** Another currency with as many decimals, so that the same figures stand in the line. */
function isLike(code: string, currency: string): boolean {
  return code !== currency && exponentOf(code) === exponentOf(currency);
}

/** A line that is late is so by half a minute at most. */
const LATE_MS = 30_000;

function changed(line: Line, amount: number, patch: Partial<Line> | null): Made {
  const { transactionId, intentId, currency } = line;
  return { reference: intentId, amount, currency, intentId, victimId: transactionId, patch };
}

function added(victim: Line, date: string, reference: string, extra: Line): Made {
  const { intentId } = victim;
  const { currency, gross: amount } = extra;
  return { reference, amount, currency, intentId, extra: { date, line: extra } };
}

/** One minor unit up or down, and never down to nothing. */
function oneOff(next: () => number, amount: number): number {
  return next() % 2 === 0 || amount < 2 ? 1 : -1;
}

function opposite(line: Line, amount: number, transactionId: string): Line {
  return { ...line, transactionId, gross: -amount, fee: 0 };
}

function unaskedRefund(line: Line, name: string): Line {
  const refund = opposite(line, line.gross, `txn_${name}`);
  return { ...refund, category: 'refund', sourceId: `re_${name}` };
}

function chargeNames(name: string) {
  const chargeId = `ch_${name}`;
  return { transactionId: `txn_${name}`, sourceId: chargeId, chargeId, intentId: `pi_${name}` };
}

/** In the form of the names that our own payments have at a processor. */
function uuidFrom(text: string): string {
  const digits = `${nameFrom(text)}${nameFrom(`${text}.`)}`;
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`];
  return [...parts, `a${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}

/** A charge that nobody here made, at some time of the day. */
function foreignCharge({ state, date, next, name }: Tools): Line {
  const [first] = linesOfDay(state, date);
  const currency = first?.currency ?? 'usd';
  const gross = 100 + (next() % 100_000);
  const createdMs = first?.createdMs ?? startOf(date);
  return {
    ...chargeNames(name),
    createdMs,
    availableMs: createdMs,
    currency,
    gross,
    fee: feeFor(state.settlement.fees, 'charge', currency, gross),
    category: 'charge',
    payoutId: '',
    account: '',
    intent: '',
    isAlone: true,
  };
}
