import { invalid } from './errors.js';
import type { Kind, Thing } from './state.js';
import { wire, type Wire } from './wire.js';

const DEPTH_MAX = 4;
type Expandable = Kind | 'payment_method' | 'any';

/** Members that hold an id and can be shown as the object itself, as Stripe's `expand[]` does. */
const EXPANDABLE: Record<
  Kind | 'payment_method',
  Record<string, Kind | 'payment_method' | 'any'>
> = {
  payment_intent: { latest_charge: 'charge', payment_method: 'payment_method' },
  charge: { balance_transaction: 'balance_transaction', payment_intent: 'payment_intent' },
  refund: {
    balance_transaction: 'balance_transaction',
    charge: 'charge',
    failure_balance_transaction: 'balance_transaction',
    payment_intent: 'payment_intent',
  },
  balance_transaction: { source: 'any' },
  dispute: { charge: 'charge', payment_intent: 'payment_intent' },
  payment_method: {},
};

/** Refuses what cannot be expanded before any work is done. */
export function checkExpand(kind: Kind | 'any', paths: readonly string[], ofList = false): void {
  for (const path of paths) {
    const steps = path.split('.');
    if (ofList && steps.shift() !== 'data') throw cannotExpand(path);
    let at: Expandable = kind;
    if (steps.length === 0 || steps.length > DEPTH_MAX) throw cannotExpand(path);
    for (const step of steps) {
      const next: Expandable | undefined = at === 'any' ? 'any' : own(EXPANDABLE[at], step);
      if (next === undefined || step === '') throw cannotExpand(path);
      at = next;
    }
  }
}

function own<Value>(record: Record<string, Value>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

export function expanded(
  thing: Thing,
  paths: readonly string[],
  find: (id: string) => Thing | null,
): Wire {
  const root = wire(thing);
  for (const path of paths) expandPath(root, path.split('.'), find);
  return root;
}

function expandPath(object: Wire, steps: string[], find: (id: string) => Thing | null): void {
  const [step, ...rest] = steps;
  if (step === undefined || !Object.hasOwn(object, step)) return;
  const value = object[step];
  const inner =
    typeof value === 'string' && step === 'payment_method'
      ? paymentMethod(value, object)
      : typeof value === 'string'
        ? thingOf(value, find)
        : (value as Wire | null);
  if (inner === null || typeof inner !== 'object') return;
  object[step] = inner;
  expandPath(inner, rest, find);
}

function thingOf(id: string, find: (id: string) => Thing | null): Wire | null {
  const thing = find(id);
  return thing && wire(thing);
}

/** Payment methods are names here, not stored objects. */
function paymentMethod(id: string, owner: Wire): Wire {
  const card = { brand: 'visa', last4: '4242' };
  return {
    id,
    object: 'payment_method',
    card,
    created: owner['created'],
    livemode: false,
    type: 'card',
  };
}

function cannotExpand(path: string) {
  return invalid(`This property cannot be expanded (${path.slice(0, 80)}).`, 'expand');
}
