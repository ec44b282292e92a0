// The payments behind each peer: one ledger in memory, one idea of a valid body, and the same accounts. The
// idempotency is the peer's alone.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** Three credentials of two accounts. */
export const CREDENTIALS = { key: 'shop-one', rotated: 'shop-one-new', other: 'shop-two' };
const ACCOUNTS = { 'shop-one': 'one', 'shop-one-new': 'one', 'shop-two': 'two' };

/** How long the card processor takes. */
const PROCESSOR_MS = 15;
const IN_FLIGHT_MAX = 50;
const AMOUNT_MAX = 99_999_999;

/** A refusal that its framework sends as it likes. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Whose request it is; null for nobody's. */
export function accountOf(authorization) {
  const credential = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];
  return credential !== undefined && Object.hasOwn(ACCOUNTS, credential)
    ? ACCOUNTS[credential]
    : null;
}

/** The limiter that stands before everything else. `leave` is null when the account is at its limit. */
export class Limiter {
  #inFlight = new Map();

  enter(account) {
    const now = this.#inFlight.get(account) ?? 0;
    if (now >= IN_FLIGHT_MAX) return null;
    this.#inFlight.set(account, now + 1);
    return () => this.#inFlight.set(account, this.#inFlight.get(account) - 1);
  }
}

export class Payments {
  #effects = [];
  #failedBefore = new Set();

  /** Charges a card, each time that it is called. */
  async charge(account, body) {
    const { amount, card, note, tags } = valid(body, {
      amount: 'amount',
      card: 'card',
      tags: 'tags',
      note: 'note?',
    });
    const slowMs = /^slow_(\d{1,5})$/.exec(card)?.[1];
    await pause(slowMs === undefined ? PROCESSOR_MS : Number(slowMs));
    if (card === 'declined') throw new Refused(402, 'The card was declined.');
    if (card === 'fails_once' && !this.#failedBefore.has(tags.marker)) {
      this.#failedBefore.add(tags.marker);
      throw new Refused(503, 'The processor is busy.');
    }
    return this.#add({ kind: 'payment', account, amount, note: note ?? null, tags });
  }

  /** Gives a part back: another route that moves money. */
  async refund(account, payment, body) {
    const { amount } = valid(body, { amount: 'amount' });
    await pause(PROCESSOR_MS);
    return this.#add({ kind: 'refund', account, payment, amount, tags: {} });
  }

  list(account) {
    return this.#effects.filter((effect) => effect.account === account);
  }

  #add(effect) {
    const made = { id: randomUUID(), ...effect };
    this.#effects.push(made);
    return made;
  }
}

const RULES = {
  amount: (value) => Number.isInteger(value) && value > 0 && value <= AMOUNT_MAX,
  card: (value) =>
    typeof value === 'string' && /^(ok|declined|fails_once|slow_\d{1,5})$/.test(value),
  note: (value) => typeof value === 'string' && value.length <= 1000,
  tags: (value) =>
    isObject(value) && Object.values(value).every((text) => typeof text === 'string'),
};

/** The body, once each of its members is one that is known and has a value that is allowed. */
function valid(body, members) {
  if (!isObject(body)) throw new Refused(400, 'The body must be an object.');
  for (const name of Object.keys(body))
    if (!Object.hasOwn(members, name)) throw new Refused(400, `${name} is not known.`);
  for (const [name, rule] of Object.entries(members)) {
    const isMissing = body[name] === undefined && rule.endsWith('?');
    if (!isMissing && !RULES[name](body[name])) throw new Refused(400, `${name} is not right.`);
  }
  return body;
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
