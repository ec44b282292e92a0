import { hash } from 'node:crypto';

/**
 * A day with any number of payments, of which each follows from its number alone: so the database's rows
 * (`big-day.sql.ts`) and the processor's report are made apart, and neither is copied from the other. The
 * database is right; the report says some things wrongly, at places that are known.
 */
export const BIG_DAY = '2026-01-31';
const DAY_MS = 24 * 3_600_000;
const DAY_STARTS_MS = Date.parse(`${BIG_DAY}T00:00:00Z`);

/** A line of the report, in minor units. */
export type BigLine = {
  transactionId: string;
  createdMs: number;
  currency: string;
  gross: number;
  fee: number;
  category: string;
  sourceId: string;
  chargeId: string;
  intentId: string;
  /** Of our payment, in its metadata; empty in what is not ours. */
  intent: string;
};

/** So many payments make about so many lines: of forty, 39 are paid and four have a refund. */
export function paymentsFor(lines: number): number {
  return Math.ceil((lines * 40) / 43 / 400) * 400;
}

/** The lines of one payment, as they are right. */
export function linesOf(n: number, payments: number): BigLine[] {
  if (isDeclined(n)) return [];
  const charge = chargeLine(n, payments);
  if (hasRefund(n)) return [charge, refundLine(n, charge)];
  return isDisputed(n) ? [charge, disputeLine(n, charge)] : [charge];
}

export const isDeclined = (n: number) => n % 40 === 3;
const isCapturedLater = (n: number) => n % 20 === 8;
const hasRefund = (n: number) => n % 10 === 5;
const isDisputed = (n: number) => n % 400 === 211;

/** Also of a declined payment: as it would have been. */
export function chargeLine(n: number, payments: number): BigLine {
  const amount = amountOf(n);
  const gross = isCapturedLater(n) ? amount - Math.floor(amount / 4) : amount;
  const chargeId = named('ch', n);
  return {
    transactionId: named('txn', n),
    createdMs: DAY_STARTS_MS + Math.floor((n * DAY_MS) / (payments + 1)),
    currency: currencyOf(n),
    gross,
    fee: feeOf(gross),
    category: 'charge',
    sourceId: chargeId,
    chargeId,
    intentId: named('pi', n),
    intent: uuidOf('key', n),
  };
}

function refundLine(n: number, charge: BigLine): BigLine {
  const gross = -Math.floor(charge.gross / 2);
  const names = { transactionId: named('txr', n), sourceId: named('re', n) };
  return { ...charge, ...names, category: 'refund', gross, fee: 0 };
}

function disputeLine(n: number, charge: BigLine): BigLine {
  const names = { transactionId: named('txd', n), sourceId: named('du', n) };
  return { ...charge, ...names, category: 'dispute', gross: -charge.gross, fee: 1_500 };
}

const amountOf = (n: number) => 100 + ((n * 7_919) % 250_000);

/** 2.9 % rounded half up and 30, where the charge is worth more. */
function feeOf(amount: number): number {
  const fee = Math.floor((amount * 290 + 5_000) / 10_000) + 30;
  return fee > amount ? 0 : fee;
}

/** Most is in one currency; a few have other decimals. */
export function currencyOf(n: number): string {
  const place = n % 23;
  if (place === 1) return 'jpy';
  if (place === 2) return 'kwd';
  return place < 6 ? 'usd' : 'myr';
}

/** As long as the names that Stripe gives, and like them in no order. */
export function named(prefix: string, n: number | string): string {
  return `${prefix}_${hash('md5', `${prefix}${n}`, 'hex').slice(0, 24)}`;
}

function uuidOf(what: string, n: number): string {
  const hex = hash('md5', `${what}${n}`, 'hex');
  const ends = [0, 8, 12, 16, 20, 32];
  return ends
    .slice(1)
    .map((end, at) => hex.slice(ends[at], end))
    .join('-');
}
