import { closed, tell } from './claim-moves.js';
import { type Move, type Rules, fault } from './move.js';
import { type Answer, type Runner, type State, idle } from './state.js';

/** The commit that ends a run: record, leave unknown, or release. Each is confirmed, lost, or undone. */
export function endingMoves(state: State, rules: Rules, index: number, runner: Runner): Move[] {
  const answer = ANSWERS[runner.knows];
  if (answer !== undefined) return record(state, rules, index, runner, answer);
  return runner.knows === 'not_sent'
    ? release(state, rules, index, runner)
    : leave(state, index, runner);
}

const ANSWERS: Partial<Record<Runner['knows'], Answer>> = {
  charged: 'charged',
  declined: 'declined',
  not_charged: 'not_charged',
  never_sent: 'not_charged',
};

/** All or nothing, and only under its own lease and from a pending payment. */
function record(state: State, rules: Rules, index: number, runner: Runner, answer: Answer): Move[] {
  const says = sayer(rules, index);
  const isOurs = runner.holds && state.key === 'started' && state.payment === 'pending';
  if (!isOurs && !rules.errors.has('record_without_compare')) {
    return [
      step(index, 'finds that its payment has moved on', compared(state, says, index, runner)),
    ];
  }
  const after = idle(recorded(state, rules, answer), index);
  const undone = idle({ ...state, doubt: state.doubt || runner.knows !== 'never_sent' }, index);
  const heard = answerWithoutCommit(rules, answer);
  return [
    step(index, `records “${answer}”`, says(after, answer)),
    fault(index, `records “${answer}”; nobody hears of it`, says(after, rollback(rules))),
    fault(index, `fails to record “${answer}”`, says(undone, heard)),
  ];
}

function recorded(state: State, { scope }: Rules, answer: Answer): State {
  const isHold = scope.capture === 'manual';
  const done: State = { ...closed(state), key: 'finished', saved: answer };
  if (answer !== 'charged') return { ...done, payment: 'failed' };
  if (isHold) return { ...done, payment: 'authorized' };
  return { ...done, payment: 'succeeded', booked: state.booked === 0 ? 1 : 2 };
}

/** The saved answer is the answer. A charge that was not recorded as one is money all the same. */
function compared(state: State, says: Sayer, index: number, runner: Runner): State {
  const over = idle(state, index);
  if (state.key !== 'finished') return over;
  const isLate = runner.knows === 'charged' && state.payment === 'failed';
  const breakIs = isLate && state.breakIs === 'none' ? 'open' : state.breakIs;
  return says({ ...over, breakIs }, state.saved);
}

/** Nothing is known: the attempt is closed as unknown, and the lease is free. */
function leave(state: State, index: number, runner: Runner): Move[] {
  const over = idle(state, index);
  if (!runner.holds || state.key !== 'started') return [step(index, 'has lost its lease', over)];
  const left: State = {
    ...over,
    leased: false,
    doubt: true,
    errorKept: state.errorKept || runner.knows === 'unknown_kept',
    review: state.review || state.limit === 'passed',
  };
  return [
    step(index, 'leaves it unknown', left),
    fault(index, 'fails to write that it is unknown', { ...over, doubt: true }),
  ];
}

/** Nothing was sent, by anybody: the key goes back to its caller, or into the queue. */
function release(state: State, rules: Rules, index: number, runner: Runner): Move[] {
  const over = idle(state, index);
  const isOurs = runner.holds && state.key === 'started';
  const isProved = !state.doubt || rules.errors.has('refusal_settles');
  if (!isOurs || !isProved) return [step(index, 'may not release it', over)];
  const key = state.queued ? 'queued' : 'released';
  const after: State = { ...over, key, leased: false, limit: 'none', doubt: false };
  const hears = index < rules.scope.clients && key === 'released';
  return [
    step(index, `puts it back: ${key}`, hears ? { ...after, waived: 'yes' } : after),
    fault(index, `puts it back: ${key}; nobody hears of it`, after),
    fault(index, 'fails to put it back', { ...over, doubt: true }),
  ];
}

function step(runner: number, what: string, next: State): Move {
  return { runner, what, kind: 'step', next };
}

/** Only a client's request has somebody who listens. */
type Sayer = (state: State, answer: Answer) => State;

function sayer({ scope }: Rules, index: number): Sayer {
  const isHeard = index < scope.clients;
  return (state, answer) => (isHeard && answer !== 'none' ? tell(state, answer) : state);
}

/** Until the commit is confirmed the answer is 202, which tells nothing. */
function answerWithoutCommit(rules: Rules, answer: Answer): Answer {
  return rules.errors.has('answer_from_memory') ? answer : rollback(rules);
}

function rollback({ errors }: Rules): Answer {
  return errors.has('lost_commit_is_rollback') ? 'not_charged' : 'none';
}
