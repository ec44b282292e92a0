import { type Move, type Rules, fault } from './move.js';
import type { State } from './state.js';

/** What happens without any of our processes: time passes, messages arrive, the processor thinks again, people decide. */
export function worldMoves(state: State, rules: Rules): Move[] {
  return [...timeMoves(state, rules), ...processorMoves(state, rules), ...laterMoves(state, rules)];
}

function timeMoves(state: State, rules: Rules): Move[] {
  const moves: Move[] = [];
  if (state.leased && state.key === 'started') {
    const isAlive = state.runners.some(({ holds }) => holds);
    const next = { ...state, leased: false };
    if (isAlive) moves.push(fault(null, 'the lease ends under an owner that lives', next));
    else moves.push(step('the lease of a dead owner ends', next));
  }
  if (state.leased) return moves;
  const isOpen = state.key === 'started' || state.key === 'released' || state.key === 'queued';
  if (state.limit === 'ahead')
    moves.push(step('the send limit passes', { ...state, limit: 'passed' }));
  else if (isOpen && !state.ended)
    moves.push(step('the key’s end comes', { ...state, ended: true }));
  if (state.limit === 'passed' && state.kept !== 'nothing' && mayForget(state, rules)) {
    moves.push(step('the processor forgets the key', { ...state, kept: 'nothing' }));
  }
  return moves;
}

/** Half the window is left when the limit passes: no write and no message is as slow as that. */
function mayForget({ runners, underway }: State, { errors }: Rules): boolean {
  if (errors.has('whole_window')) return true;
  return underway === 0 && runners.every(({ at }) => at !== 'cleared' && at !== 'waiting');
}

function processorMoves(state: State, rules: Rules): Move[] {
  const moves: Move[] = [];
  if (state.underway > 0) {
    const underway = state.underway === 2 ? 1 : 0;
    moves.push(step('a request is lost on its way', { ...state, underway }));
    for (const { next, says } of execute({ ...state, underway }, rules))
      moves.push(step(`a request arrives that nobody waits for: ${says}`, next));
  }
  if (state.charges > 0 && !state.visible)
    moves.push(step('the charge becomes visible', { ...state, visible: true }));
  if (state.errorKept && !state.windowPassed && (state.charges === 0 || state.visible))
    moves.push(step('the visibility window passes', { ...state, windowPassed: true }));
  const isDecline = state.kept === 'declined' && state.charges === 0 && state.breakIs === 'none';
  const isVoided = state.payment === 'canceled' && state.kept === 'charged' && state.charges === 0;
  if (isDecline || (isVoided && state.breakIs === 'none'))
    moves.push(fault(null, 'the processor charges after all', { ...state, ...LATE }));
  return moves;
}

const LATE = { charges: 1, visible: true, news: true } as const;

/** What the payment goes through after its answer: news, people, capture and void, each a commit of its own. */
function laterMoves(state: State, { scope, errors }: Rules): Move[] {
  const moves: Move[] = [];
  const isOver = state.payment === 'failed' || state.payment === 'canceled';
  if (state.news && state.payment === 'succeeded')
    moves.push(step('news of what is known', { ...state, news: false }));
  if (state.news && isOver) {
    // An event says "look": what it told of may have been given back since.
    const isThere = state.charges > 0 || errors.has('news_is_believed');
    const breakIs = isThere && state.breakIs === 'none' ? 'open' : state.breakIs;
    const what = isThere ? 'news of a late success opens a break' : 'old news is read back';
    moves.push(step(what, { ...state, news: false, breakIs }));
  }
  if (state.breakIs === 'open' && !state.news) {
    const accepted: State = { ...state, breakIs: 'settled', payment: 'succeeded', booked: 1 };
    moves.push(step(ACCEPTS, accepted));
    moves.push(step('a person gives it back', { ...state, breakIs: 'settled', charges: 0 }));
  }
  if (state.payment === 'authorized' && scope.capture === 'manual') {
    moves.push(step('it is captured', { ...state, payment: 'succeeded', booked: 1 }));
    moves.push(step('it is voided', { ...state, payment: 'canceled', charges: 0 }));
  }
  return moves;
}

/** The one move out of a final state. */
export const ACCEPTS = 'a person accepts the late success';

type Executed = { next: State; says: 'charged' | 'declined' | 'the error that it keeps' };

/** The processor takes a request: under a key that it knows it repeats itself, else it charges or declines. */
export function execute(state: State, rules: Rules): Executed[] {
  if (!mayCharge(state, rules)) return [{ next: state, says: repeats(state) }];
  const charges = state.charges === 0 ? 1 : 2;
  const waived = state.waived === 'no' ? 'no' : 'broken';
  const charged: State = { ...state, kept: 'charged', charges, visible: false, waived };
  if (state.charges > 0) return [{ next: charged, says: 'charged' }];
  return [
    { next: charged, says: 'charged' },
    { next: { ...state, kept: 'declined' }, says: 'declined' },
  ];
}

export function mayCharge({ kept }: State, { errors }: Rules): boolean {
  return kept === 'nothing' || errors.has('fresh_key');
}

function repeats({ kept }: State): Executed['says'] {
  if (kept === 'charged' || kept === 'declined') return kept;
  return 'the error that it keeps';
}

function step(what: string, next: State): Move {
  return { runner: null, what, kind: 'step', next };
}
