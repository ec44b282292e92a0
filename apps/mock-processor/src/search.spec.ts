import { expect, test } from 'vitest';
import { searchIntents } from './search.js';
import { State, type Intent } from './state.js';

/** Stripe's search language, over three intents of which each differs from the others in one thing. */
const state = new State();
for (const [id, more] of Object.entries({
  a: { amount: 100, metadata: { order: "it's 1", colour: 'red' } },
  b: { amount: 200, metadata: { order: '2' }, status: 'requires_capture' },
  c: { amount: 300, metadata: { colour: 'Dark Red' }, currency: 'eur', createdMs: 9_000 },
} satisfies Record<string, Partial<Intent>>)) {
  state.apply({ at: 1, changes: [{ put: intent({ id, ...more }) }] });
}

test.each([
  [`metadata['order']:'it\\'s 1'`, ['a']],
  [`metadata["order"]:"2"`, ['b']],
  [`metadata['order']:'3'`, []],
  [`metadata['colour']~'red'`, ['c', 'a']],
  [`-metadata['order']:'2'`, ['c', 'a']],
  [`metadata['order']:'2' AND amount>200`, []],
  [`metadata['order']:'2' OR currency:'eur'`, ['c', 'b']],
  [`amount:200`, ['b']],
  [`amount>=200`, ['c', 'b']],
  [`amount<200`, ['a']],
  [`amount<=200 and amount>100`, ['b']],
  [`created>5`, ['c']],
  [`currency:'usd' AND -status:'succeeded'`, ['b']],
  [`status:'succeeded'`, ['c', 'a']],
])('%s finds %j', (query, ids) => {
  expect(searchIntents(state, query).map(({ id }) => id)).toEqual(ids);
});

function intent(more: Partial<Intent>): Intent {
  return {
    object: 'payment_intent',
    id: '',
    createdMs: 1_000,
    amount: 1,
    currency: 'usd',
    captureMethod: 'automatic',
    status: 'succeeded',
    paymentMethod: 'pm_1',
    description: null,
    metadata: {},
    amountReceived: 0,
    amountCapturable: 0,
    chargeId: null,
    canceledMs: null,
    cancellationReason: null,
    lastError: null,
    ...more,
  };
}
