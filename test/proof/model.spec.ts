import { describe, expect, it } from 'vitest';
import {
  PAYMENT_STATUSES,
  mayMove,
  mayMoveByAccepting,
  type PaymentStatus,
} from '#payments/payment-status.js';
import { ALLOWED_BY_ACCEPTING, ALLOWED_STATUS } from '../../ops/checker/allowed-status.js';
import { joined } from '../../ops/model/allowed-graph.js';
import { DESIGN_ERRORS, type DesignError, scopeOf } from '../../ops/model/designs.js';
import { movesFrom } from '../../ops/model/moves.js';
import { search } from '../../ops/model/search.js';
import { type Scope, type State, encode, initialState } from '../../ops/model/state.js';

const NO_ERRORS: ReadonlySet<DesignError> = new Set();

describe('the model of the protocol', () => {
  const small = { clients: 2, workers: 2, faults: 1 };
  const found = {
    automatic: search({ scope: { ...small, capture: 'automatic' }, errors: NO_ERRORS }),
    manual: search({ scope: { ...small, capture: 'manual' }, errors: NO_ERRORS }),
  };

  it.each(['automatic', 'manual'] as const)('holds with one fault, %s capture', (capture) => {
    expect(found[capture].violation).toBeNull();
    expect(found[capture].states).toBeGreaterThan(2_000);
  });

  it('is searched to the end: a walk without order, codes or symmetry finds the same states', () => {
    const scope: Scope = { clients: 1, workers: 1, faults: 1, capture: 'automatic' };
    const { states, edges } = search({ scope, errors: NO_ERRORS });
    expect({ states, edges }).toEqual(walkedPlainly(scope));
  });

  it('takes states for one only if they differ in who is who', () => {
    const scope: Scope = { clients: 2, workers: 2, faults: 1, capture: 'manual' };
    const states = plainStates(scope);
    const codes = states.map((state) => encode(state, scope.clients));
    expect(new Set(codes).size).toBe(found.manual.states);
    expect(states.map((state) => encode(swapTwins(state), scope.clients))).toEqual(codes);
  });

  it('meets every fault and every end', () => {
    const walked = [...found.automatic.walked.keys(), ...found.manual.walked.keys()].join('\n');
    for (const what of SOMETIMES) expect(walked).toContain(what);
  });

  it('walks the edges between statuses that the table has, and no others', () => {
    const { payment } = joined([found.automatic.graph, found.manual.graph]);
    const { none, ...edges } = payment;
    expect(none).toEqual(['pending']);
    expect(edges).toEqual(edgesThat(mayMoveByAccepting));
    expect(edges).toEqual(edgesOfChecker());
    // Without the one exception, accepting a late success, it is the plain table.
    const { failed, canceled, ...plain } = edges;
    expect([failed, canceled]).toEqual([['succeeded'], ['succeeded']]);
    expect(plain).toEqual(edgesThat(mayMove));
  });

  it('walks the edges between the states of a key that are drawn for it', () => {
    const scope: Scope = { clients: 1, workers: 1, faults: 2, capture: 'automatic' };
    expect(search({ scope, errors: NO_ERRORS }).graph.key).toEqual({
      queued: ['canceled', 'started'],
      released: ['canceled', 'queued', 'started'],
      started: ['finished', 'queued', 'released'],
      unseen: ['canceled', 'queued', 'started'],
    });
  });
});

describe('an error of design is found by its invariant', () => {
  const names = Object.keys(DESIGN_ERRORS) as DesignError[];

  it.each(names.map((name) => ({ name, ...DESIGN_ERRORS[name] })))(
    '$name: $invariant',
    ({ name, invariant, faults }) => {
      const { violation } = search({ scope: scopeOf(name), errors: new Set([name]) });
      expect(violation).toMatchObject({ invariant });
      const faultsOnTheWay = violation?.path.filter((step) => step.endsWith('(fault)'));
      expect(faultsOnTheWay?.length).toBeLessThanOrEqual(faults);
      expect(violation?.path.at(0)).toMatch(/^client 1 /);
    },
  );
});

const SOMETIMES = [
  'the lease ends under an owner that lives',
  'is killed (waiting)',
  'its request may still arrive',
  'a request arrives that nobody waits for',
  'nobody hears of it',
  'a 500 that is kept; it charged',
  'a 500 that is kept; it did nothing',
  'hears 429',
  'is refused, and that is not kept',
  'the processor forgets the key',
  'cancels by key',
  'records “not_charged”',
  'leaves it unknown',
  'puts it back: released',
  'puts it back: queued',
  'the processor charges after all',
  'a person accepts the late success',
  'a person gives it back',
  'it is captured',
  'it is voided',
];

function edgesThat(may: (from: PaymentStatus, to: PaymentStatus) => boolean) {
  const edges = PAYMENT_STATUSES.map((from) => [
    from,
    PAYMENT_STATUSES.filter((to) => may(from, to)).toSorted(),
  ]);
  return Object.fromEntries(edges.filter(([, tos]) => tos?.length));
}

/** The checker's own table, which shares no code with the product's. */
function edgesOfChecker() {
  const all = Object.entries(ALLOWED_STATUS).map(([from, tos]) => [
    from,
    [...tos, ...(ALLOWED_BY_ACCEPTING[from] ?? [])].toSorted(),
  ]);
  return Object.fromEntries(all.filter(([, tos]) => tos?.length));
}

/** Every state under its own plain text, in whatever order they come. */
function plainStates(scope: Scope): State[] {
  const states = new Map<string, State>();
  const open = [initialState(scope)];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const text = JSON.stringify(state);
    if (states.has(text)) continue;
    states.set(text, state);
    open.push(...movesFrom(state, { scope, errors: NO_ERRORS }).map(({ next }) => next));
  }
  return [...states.values()];
}

function walkedPlainly(scope: Scope): { states: number; edges: number } {
  const states = plainStates(scope);
  const edges = states.map((state) => movesFrom(state, { scope, errors: NO_ERRORS }).length);
  return { states: states.length, edges: edges.reduce((sum, each) => sum + each, 0) };
}

function swapTwins(state: State): State {
  const [first, second, third, fourth] = state.runners;
  if (!first || !second || !third || !fourth) throw new Error('Two clients and two workers');
  return { ...state, runners: [second, first, fourth, third] };
}
