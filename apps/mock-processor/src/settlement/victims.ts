import type { Intent, State } from '../state.js';
import { dayOf } from './day.js';
import { linesOfDay, type Line } from './lines.js';
import type { Ordered } from './plant.js';
import { nameFrom } from './payouts.js';

/** The lines that an anomaly is planted on, or null where it needs none of ours. */
export function victimsFor(state: State, ordered: Ordered, next: () => number): Line[] | null {
  const { date, kind, variant, count } = ordered;
  if (kind === 'missing_here' || variant === 'without_charge') return null;
  if (kind === 'payout_sum') return unhitPayouts(state, date);
  if (variant === 'charged_after_all') {
    return sample(unpaid(state, date), count, next);
  }
  const category = ['refund missing', 'refund amount'].includes(`${kind} ${variant}`)
    ? 'refund'
    : 'charge';
  return sample(fitting(linesOfDay(state, date), state, category), count, next);
}

/** Of our payments only, and of those only where nothing else could become a break of its own. */
function* fitting(lines: Iterable<Line>, state: State, category: string): Generator<Line> {
  for (const line of lines) {
    const isOurs = line.intent !== '';
    const isHit = state.settlement.hitPayments.has(line.intentId);
    if (isOurs && !isHit && line.isAlone && line.category === category) yield line;
  }
}

/** Payments of the day that were declined or canceled, as if they had been charged. */
function* unpaid(state: State, date: string): Generator<Line> {
  for (const id of state.order.payment_intent) {
    const intent = state.find('payment_intent', id);
    const isEnded = intent?.status === 'canceled' || intent?.status === 'requires_payment_method';
    if (!intent || !isEnded || dayOf(intent.createdMs) !== date) continue;
    const line = asCharged(intent);
    if (line.intent !== '' && !state.settlement.hitPayments.has(id)) yield line;
  }
}

function asCharged({ id, amount, currency, createdMs, chargeId, metadata }: Intent): Line {
  const charge = chargeId ?? `ch_${nameFrom(id)}`;
  return {
    transactionId: `txn_${nameFrom(`charged ${id}`)}`,
    createdMs,
    availableMs: createdMs,
    currency,
    gross: amount,
    fee: 0,
    category: 'charge',
    sourceId: charge,
    chargeId: charge,
    intentId: id,
    payoutId: '',
    account: metadata['payonce_account'] ?? '',
    intent: metadata['payonce_intent'] ?? '',
    isAlone: true,
  };
}

function unhitPayouts(state: State, date: string): Line[] {
  const { settlement } = state;
  const hit = settlement
    .plantedOf(date)
    .filter(({ kind }) => kind === 'payout_sum')
    .map(({ currency }) => currency);
  const [first] = linesOfDay(state, date);
  if (!first) return [];
  return settlement
    .paidIn(date)
    .filter((currency) => !hit.includes(currency))
    .map((currency) => ({ ...first, currency }));
}

/** So many of them, each as likely as any other, in their order: they pass by once and are not kept. */
function sample(lines: Iterable<Line>, count: number, next: () => number): Line[] {
  const chosen: { line: Line; position: number }[] = [];
  let position = 0;
  for (const line of lines) {
    const slot = position < count ? position : next() % (position + 1);
    if (slot < count) chosen[slot] = { line, position };
    position += 1;
  }
  return chosen.sort((a, b) => a.position - b.position).map(({ line }) => line);
}
