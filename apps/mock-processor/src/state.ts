import type { ErrorBody } from './errors.js';
import { Owed, type OwedChange } from './owed.js';
import { Settlement, type SettlementChange } from './settlement/settlement.js';

/**
 * Everything that the mock knows, rebuilt from its file at each start. One entry of the file is one
 * request's whole effect (movements, objects, events, stored answer), so that a torn line loses a
 * request as a whole or not at all. Objects are never changed in place: each change is a new
 * version, which is why an event can keep the version that it tells of.
 */
export type Entry = {
  /** The mock's own clock, in milliseconds since 1970. */
  at: number;
  changes?: Change[];
  movements?: Omit<Movement, 'seq' | 'at'>[];
  answer?: StoredAnswer;
  /** A key whose test method has misbehaved: its next send is served by the ordinary rules. */
  misbehaved?: string;
  advanceMs?: number;
  /** What is set, planted or paid out in the settlement reports. */
  settlement?: SettlementChange;
};

/** In order: an event shows its object as the changes before it left it. */
export type Change = { put: Thing } | { event: EventFacts } | OwedChange;

export type Thing = Intent | Charge | Refund | Transaction | Dispute;
export type Kind = Thing['object'];

export type Intent = {
  object: 'payment_intent';
  id: string;
  createdMs: number;
  amount: number;
  currency: string;
  captureMethod: 'automatic' | 'automatic_async' | 'manual';
  status:
    | 'requires_payment_method'
    | 'requires_confirmation'
    | 'requires_action'
    | 'requires_capture'
    | 'succeeded'
    | 'canceled';
  paymentMethod: string | null;
  description: string | null;
  metadata: Record<string, string>;
  amountReceived: number;
  amountCapturable: number;
  chargeId: string | null;
  canceledMs: number | null;
  cancellationReason: string | null;
  lastError: ErrorBody | null;
};

export type Charge = {
  object: 'charge';
  id: string;
  createdMs: number;
  intentId: string;
  amount: number;
  amountCaptured: number;
  amountRefunded: number;
  /** What open and lost disputes have taken. Absent before the first one. */
  amountDisputed?: number;
  currency: string;
  captured: boolean;
  status: 'succeeded' | 'failed';
  paymentMethod: string;
  description: string | null;
  metadata: Record<string, string>;
  transactionId: string | null;
  failure: ErrorBody | null;
};

export type Refund = {
  object: 'refund';
  id: string;
  createdMs: number;
  intentId: string;
  chargeId: string;
  amount: number;
  currency: string;
  status: 'pending' | 'succeeded' | 'failed';
  reason: string | null;
  metadata: Record<string, string>;
  transactionId: string;
  failureTransactionId: string | null;
  failureReason: string | null;
  /** What becomes of it later, by the mock's own clock. */
  due: { atMs: number; status: 'succeeded' | 'failed' } | null;
};

export type Transaction = {
  object: 'balance_transaction';
  id: string;
  createdMs: number;
  type: 'charge' | 'refund' | 'refund_failure' | 'dispute' | 'dispute_reversal' | 'payout';
  /** Signed: what leaves the balance is negative. */
  amount: number;
  fee: number;
  currency: string;
  sourceId: string;
};

export type Dispute = {
  object: 'dispute';
  id: string;
  createdMs: number;
  intentId: string;
  chargeId: string;
  /** May exceed the charge, as it does at banks that convert currencies. */
  amount: number;
  currency: string;
  status: 'needs_response' | 'won' | 'lost';
  metadata: Record<string, string>;
  transactions: Transaction[];
};

export type EventFacts = {
  id: string;
  type: string;
  objectId: string;
  /** The object, where it is none of this processor's own. */
  foreign?: Thing;
  /** How many deliveries the event is owed: none if it is to get lost; absent without an address. */
  copies?: number;
  requestId: string | null;
  idempotencyKey: string | null;
};
export type RecordedEvent = EventFacts & { createdMs: number; snapshot: Thing };

/** A movement of money or of authority, as `GET /_control/book` shows it. */
export type Movement = {
  seq: number;
  at: string;
  operation:
    | 'charge'
    | 'authorize'
    | 'capture'
    | 'void'
    | 'refund'
    | 'refund_failed'
    | 'fee'
    | 'dispute'
    | 'dispute_won'
    | 'dispute_fee'
    | 'payout';
  idempotency_key: string | null;
  id: string;
  parent: string | null;
  amount: number;
  currency: string;
  status: string;
  metadata: Record<string, string>;
};

export type StoredAnswer = {
  key: string;
  atMs: number;
  path: string;
  fingerprint: string;
  requestId: string;
  status: number;
  body: string;
  /** The object that the answer tells of, and how it was asked for. */
  objectId: string | null;
  expand: string[];
};

export class State {
  readonly things = new Map<string, { thing: Thing; position: number }>();
  readonly order: Record<Kind, string[]> = {
    payment_intent: [],
    charge: [],
    refund: [],
    balance_transaction: [],
    dispute: [],
  };
  readonly events: RecordedEvent[] = [];
  readonly eventPositions = new Map<string, number>();
  readonly owed = new Owed();
  readonly settlement = new Settlement();
  readonly movements: Movement[] = [];
  readonly answers = new Map<string, StoredAnswer>();
  readonly misbehaved = new Set<string>();
  /** Refunds that will still change by themselves. */
  readonly dueRefunds = new Set<string>();
  /** Intents by each member of their metadata, so that a search need not read them all. */
  readonly intentsByMetadata = new Map<string, string[]>();
  advancedMs = 0;
  lastMs = 0;

  apply(entry: Entry): void {
    this.lastMs = Math.max(this.lastMs, entry.at);
    for (const change of entry.changes ?? []) {
      if ('put' in change) this.#put(change.put);
      else if ('event' in change) this.#record(change.event, entry.at);
      else this.owed.apply(change);
    }
    for (const movement of entry.movements ?? []) {
      const seq = this.movements.length + 1;
      this.movements.push({ seq, at: new Date(entry.at).toISOString(), ...movement });
    }
    if (entry.answer) {
      // Deleted first, so that the Map stays in the order of time and can be pruned from its front.
      this.answers.delete(entry.answer.key);
      this.answers.set(entry.answer.key, entry.answer);
    }
    if (entry.misbehaved !== undefined) this.misbehaved.add(entry.misbehaved);
    if (entry.settlement) this.settlement.apply(entry.settlement);
    this.advancedMs += entry.advanceMs ?? 0;
  }

  event(id: string): RecordedEvent | null {
    return this.events[this.eventPositions.get(id) ?? -1] ?? null;
  }

  find<K extends Kind>(kind: K, id: string): Extract<Thing, { object: K }> | null {
    const thing = this.things.get(id)?.thing;
    return thing?.object === kind ? (thing as Extract<Thing, { object: K }>) : null;
  }

  #put(thing: Thing): void {
    const before = this.things.get(thing.id);
    const position = before?.position ?? this.order[thing.object].push(thing.id) - 1;
    this.things.set(thing.id, { thing, position });
    if (thing.object === 'balance_transaction' && !before) {
      this.settlement.booked(thing);
    }
    if (thing.object === 'refund' || thing.object === 'dispute') {
      this.settlement.stirred.add(thing.chargeId);
    }
    if (thing.object === 'refund') {
      if (thing.due) this.dueRefunds.add(thing.id);
      else this.dueRefunds.delete(thing.id);
    }
    if (thing.object === 'payment_intent' && !before) {
      for (const [name, value] of Object.entries(thing.metadata)) {
        const at = metadataIndexKey(name, value);
        const ids = this.intentsByMetadata.get(at);
        if (ids) ids.push(thing.id);
        else this.intentsByMetadata.set(at, [thing.id]);
      }
    }
  }

  #record(event: EventFacts, atMs: number): void {
    const snapshot = event.foreign ?? this.things.get(event.objectId)?.thing;
    if (!snapshot)
      throw new Error(`event ${event.id} tells of ${event.objectId}, which is unknown`);
    this.eventPositions.set(event.id, this.events.length);
    this.events.push({ ...event, createdMs: atMs, snapshot });
    if (event.copies !== undefined) this.owed.begin(event.id, event.copies);
  }
}

export function metadataIndexKey(name: string, value: string): string {
  return `${name}\0${value}`;
}
