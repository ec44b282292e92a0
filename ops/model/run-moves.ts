import { claimed, countsOpen, hasAttempt } from './claim-moves.js';
import { endingMoves } from './ending-moves.js';
import { type Move, type Rules, fault } from './move.js';
import { type Runner, type State, idle, withRunner } from './state.js';
import { execute, mayCharge } from './world-moves.js';

/** The next step of a run, and what its call may meet. */
export function runMoves(state: State, rules: Rules, index: number): Move[] {
  const runner = state.runners[index];
  if (!runner) return [];
  const step = (what: string, next: State): Move => ({ runner: index, what, kind: 'step', next });
  const to = (change: Partial<Runner>): State => withRunner(state, index, change);
  switch (runner.at) {
    case 'saw_unseen':
      return [step('inserts the key that it had not found', claimed(state, index))];
    case 'unsure': // the same statement again: its own token is its own claim
      return runner.holds
        ? [step('finds its own claim', to({ at: 'sending' }))]
        : [step('finds that somebody has taken over', idle(state, index))];
    case 'sending':
      if (state.limit !== 'passed' || rules.errors.has('no_send_limit'))
        return [step('sees that it may still send', to({ at: 'cleared' }))];
      return [step('sees that it may not send any more', to(notSent(runner, rules)))];
    case 'cleared':
      return [step('sends the charge', to({ at: 'waiting' }))];
    case 'waiting':
      return [...answered(state, rules, index), ...callFaults(state, rules, index, runner)];
    case 'asking':
      return [
        step('looks the charge up', to({ at: 'ending', knows: whatLookUpSays(state, rules) })),
        fault(index, 'gets no answer to its look-up', to({ at: 'ending', knows: 'unknown' })),
      ];
    case 'ending':
      return endingMoves(state, rules, index, runner);
    case 'idle':
      return [];
  }
}

/** SIGKILL: what it had sent goes on its way, and what it had opened stays open. */
export function crashMoves(state: State, rules: Rules, index: number): Move[] {
  const runner = state.runners[index];
  if (!runner || state.faultsLeft === 0) return [];
  const leaves = countsOpen(rules) && hasAttempt(runner);
  const doubt = state.doubt || (leaves && state.key === 'started');
  const underway = runner.at === 'waiting' ? more(state.underway) : state.underway;
  return [fault(index, `is killed (${runner.at})`, idle({ ...state, doubt, underway }, index))];
}

/** The processor takes the request and its answer arrives. */
function answered(state: State, rules: Rules, index: number): Move[] {
  return execute(state, rules).map(({ next, says }) => ({
    runner: index,
    what: `hears of the processor: ${says}`,
    kind: 'step',
    next: withRunner(next, index, { at: 'ending', knows: KNOWN[says] }),
  }));
}

const KNOWN = {
  charged: 'charged',
  declined: 'declined',
  'the error that it keeps': 'unknown_kept',
} as const;

function callFaults(state: State, rules: Rules, index: number, runner: Runner): Move[] {
  const unknown = rules.errors.has('timeout_is_failed') ? 'not_charged' : 'unknown';
  const hears = (what: string, next: State, change: Partial<Runner>): Move =>
    fault(index, what, withRunner(next, index, { at: 'ending', ...change }));
  const underway = more(state.underway);
  const moves = [
    hears('times out; its request may still arrive', { ...state, underway }, { knows: unknown }),
    hears('hears 429 before anything was done', state, notSent(runner, rules)),
    hears('hears a 503 that is not kept', state, { knows: unknown }),
    hears('is refused, and that is not kept', state, refused(runner, rules)),
  ];
  if (!mayCharge(state, rules)) return moves;
  const [charge] = execute(state, rules);
  if (charge?.says === 'charged') {
    const kept: State = { ...charge.next, kept: 'error_charged' };
    moves.push(hears('hears a 500 that is kept; it charged', kept, { knows: unknown }));
  }
  const kept: State = { ...state, kept: 'error' };
  moves.push(hears('hears a 500 that is kept; it did nothing', kept, { knows: unknown }));
  return moves;
}

/** What was not sent is only so if nothing was unknown before. */
function notSent({ unknownBefore }: Runner, { errors }: Rules): Partial<Runner> {
  const dominated = unknownBefore && !errors.has('refusal_settles');
  return { at: 'ending', knows: dominated ? 'unknown' : 'not_sent' };
}

/** A refusal that the processor does not keep tells of this send alone. */
function refused({ unknownBefore }: Runner, { errors }: Rules): Partial<Runner> {
  const dominated = unknownBefore && !errors.has('refusal_settles');
  return { at: 'ending', knows: dominated ? 'unknown' : 'declined' };
}

/** "Not found" is proof only after a kept error, when all that was charged before it would show. */
function whatLookUpSays(state: State, { errors }: Rules): Runner['knows'] {
  if (state.charges > 0 && state.visible) return 'charged';
  if (state.charges === 0 && state.kept === 'declined') return 'declined';
  if (errors.has('not_found_is_proof')) return 'not_charged';
  const isOver = state.windowPassed || errors.has('no_visibility_window');
  return state.errorKept && isOver ? 'not_charged' : 'unknown';
}

function more(count: State['underway']): State['underway'] {
  return count === 0 ? 1 : 2;
}
