import { type Move, type Rules, fault } from './move.js';
import { type Answer, type Runner, type State, giveToken, idle, withRunner } from './state.js';

/** What a request of a client does, from its first look at the key. Its answer, if that is all, is heard at once. */
export function requestMoves(state: State, rules: Rules, index: number): Move[] {
  const move = (what: string, next: State): Move => ({
    runner: index,
    what,
    kind: 'request',
    next,
  });
  switch (state.key) {
    case 'unseen': {
      if (rules.errors.has('no_claim'))
        return [move('finds no key', withRunner(state, index, { at: 'saw_unseen' }))];
      const unsure = withRunner(claimed(state, index), index, { at: 'unsure' });
      return [
        move('claims the key', claimed(state, index)),
        fault(index, 'claims the key; the confirmation is lost', unsure),
        move('has its payment queued', queued({ ...state, payments: 1, payment: 'pending' })),
      ];
    }
    case 'started':
      return state.leased ? [] : takeUp(state, rules, index, 'retries and takes the lease', move);
    case 'released':
      if (state.ended) return takeUp(state, rules, index, 'retries after the key’s end', move);
      return [
        ...takeUp({ ...state, waived: 'no' }, rules, index, 'retries what was released', move),
        move('has what was released queued', queued({ ...state, waived: 'no' })),
      ];
    case 'queued':
      return [];
    case 'finished':
      return [move(`retries and hears “${state.saved}”`, tell(state, state.saved))];
    case 'canceled':
      return [move('retries and hears “canceled”', tell(state, 'canceled'))];
  }
}

/** A worker takes what is due: work that somebody left, queued work, and released work at its key's end only. */
export function sweepMoves(state: State, rules: Rules, index: number): Move[] {
  if (rules.errors.has('no_recovery')) return [];
  const move = (what: string, next: State): Move => ({ runner: index, what, kind: 'step', next });
  switch (state.key) {
    case 'started':
      if (state.leased) return [];
      if (rules.errors.has('recovery_fails_it')) {
        const ending: Partial<Runner> = { at: 'ending', knows: 'not_charged' };
        const taken = withRunner(giveToken({ ...state, leased: true }, index), index, ending);
        return [move('takes what has expired for failed', taken)];
      }
      return takeUp(state, rules, index, 'takes up what was left', move);
    case 'queued':
      return takeUp(state, rules, index, 'takes up what is queued', move);
    case 'released':
      if (!state.ended && !rules.errors.has('released_is_swept')) return [];
      return takeUp(state, rules, index, 'takes up what was released', move);
    default:
      return [];
  }
}

/** A caller cancels by key: what nobody has seen is buried, what was surely not sent is closed, all else is refused. */
export function cancelMoves(state: State, rules: Rules, index: number): Move[] {
  const mayCancel =
    state.key === 'queued' ||
    state.key === 'released' ||
    (state.key === 'started' && rules.errors.has('cancel_without_compare'));
  if (state.key !== 'unseen' && !mayCancel) return [];
  const payment = state.key === 'unseen' ? 'none' : 'canceled';
  const next = tell({ ...closed(state), key: 'canceled', payment, waived: 'no' }, 'canceled');
  return [fault(index, 'cancels by key', next)];
}

/** What the claim's one commit writes: key, lease, pending payment, and the first attempt, open. */
export function claimed(state: State, index: number): State {
  const payments = state.payments === 0 ? 1 : 2;
  const written: State = { ...state, key: 'started', leased: true, payment: 'pending', payments };
  return withRunner(giveToken({ ...written, limit: 'ahead' }, index), index, { at: 'sending' });
}

function queued(state: State): State {
  return { ...state, key: 'queued', queued: true };
}

/** The compare-and-set of a take-over. What others have open stays open for ever: from here on it counts as unknown. */
function takeUp(
  state: State,
  rules: Rules,
  index: number,
  what: string,
  move: (what: string, next: State) => Move,
): Move[] {
  const doubt = state.doubt || (countsOpen(rules) && state.runners.some(hasAttempt));
  const isWorker = index >= rules.scope.clients;
  const run = runOf(state, doubt, isWorker);
  const limit = state.limit === 'none' ? 'ahead' : state.limit;
  const taken: State = { ...state, key: 'started', leased: true, doubt, limit };
  const lost = { ...idle(giveToken(taken, index), index), doubt: doubt || run.at !== 'ending' };
  const held = withRunner(giveToken(taken, index), index, { ...run, unknownBefore: doubt });
  return [
    move(`${what}, to ${WORDS[run.at]}`, held),
    fault(index, `${what}; nobody hears of it`, lost),
  ];
}

const WORDS = { sending: 'send', asking: 'look it up', ending: 'close it' } as const;

type Begun = { at: keyof typeof WORDS; knows: Runner['knows'] };

function runOf(state: State, doubt: boolean, isWorker: boolean): Begun {
  const isOver = state.key === 'started' ? !doubt : state.ended;
  if (isOver) return { at: 'ending', knows: 'never_sent' };
  const onlyLooks = state.errorKept || state.limit === 'passed' || (isWorker && state.review);
  return { at: onlyLooks ? 'asking' : 'sending', knows: 'nothing' };
}

/** Whether a runner has an attempt of its own open in the database. */
export function hasAttempt({ at, holds, knows }: Runner): boolean {
  if (at === 'unsure') return holds;
  return at !== 'idle' && at !== 'saw_unseen' && knows !== 'never_sent';
}

export function countsOpen({ errors }: Rules): boolean {
  return !errors.has('open_is_not_unknown');
}

/** Nothing of the work is left to decide: what only steers it is put back. The limit stays, for who is late. */
export function closed(state: State): State {
  const steering = { doubt: false, errorKept: false, windowPassed: false, review: false } as const;
  return { ...state, ...steering, leased: false, queued: false, ended: false };
}

export function tell(state: State, answer: Answer): State {
  const told = state.told === 'none' || state.told === answer ? answer : 'two';
  return { ...state, told };
}
