import type { Move } from './move.js';
import type { State } from './state.js';
import { ACCEPTS } from './world-moves.js';

type Invariant = { name: string; says: string; isBroken: (state: State) => boolean };

/** What must hold in every state, at every moment; the names are those of the whole project's invariants. */
export const INVARIANTS: readonly Invariant[] = [
  {
    name: 'I1',
    says: 'one intent is charged at most once',
    isBroken: ({ charges }) => charges > 1,
  },
  {
    name: 'I2',
    says: 'a charge has a payment',
    isBroken: ({ charges, payments }) => charges > 0 && payments === 0,
  },
  {
    name: 'I4',
    says: 'what is booked was charged',
    isBroken: ({ booked, charges }) => booked > 0 && charges === 0,
  },
  {
    name: 'I5',
    says: 'one intent has one payment, and a charge is booked once',
    isBroken: ({ payments, booked }) => payments > 1 || booked > 1,
  },
  {
    name: 'I6',
    says: 'a finished key, its saved answer, its payment and its booking change together',
    isBroken: ({ key, saved, payment, booked }) =>
      (key === 'finished') !== (saved !== 'none') ||
      (key === 'finished' && payment === 'pending') ||
      (payment === 'succeeded') !== booked > 0,
  },
  {
    name: 'I10',
    says: 'a final answer that was heard is the saved one, and the only one',
    isBroken: ({ told, saved, key }) =>
      told === 'two' ||
      (told === 'canceled' ? key !== 'canceled' : told !== 'none' && told !== saved),
  },
  {
    name: 'I16',
    says: 'a payment that was charged is not failed or canceled without a break',
    isBroken: ({ payment, charges, breakIs, news }) =>
      charges > 0 &&
      (payment === 'failed' || payment === 'canceled') &&
      breakIs === 'none' &&
      !news,
  },
  {
    name: 'P7',
    says: 'after “nothing was sent” nothing is charged before a caller asks again',
    isBroken: ({ waived }) => waived === 'broken',
  },
];

export type Broken = { invariant: string; says: string };

export function brokenIn(state: State): Broken | null {
  const invariant = INVARIANTS.find(({ isBroken }) => isBroken(state));
  return invariant ? { invariant: invariant.name, says: invariant.says } : null;
}

/** A payment leaves a final state by one move only. */
export function brokenBy(state: State, { what, next }: Move): Broken | null {
  const { payment } = state;
  const isFinal = payment === 'succeeded' || payment === 'failed' || payment === 'canceled';
  if (!isFinal || next.payment === payment || what === ACCEPTS) return null;
  return { invariant: 'I7', says: `a payment went from ${payment} to ${next.payment}` };
}

/** Where work may rest: it has ended, or lies before a person because nothing of it can be found. */
export function isAtRest(state: State): boolean {
  if (state.key === 'unseen') return true;
  if (state.news) return false;
  if (state.key === 'finished' || state.key === 'canceled') return true;
  return state.review && state.charges === 0 && state.underway === 0;
}

export const LIVENESS: Broken = {
  invariant: 'L1',
  says: 'nothing that may still happen by itself leads to an end',
};
