import { cancelMoves, requestMoves, sweepMoves } from './claim-moves.js';
import type { Move, Rules } from './move.js';
import { crashMoves, runMoves } from './run-moves.js';
import type { State } from './state.js';
import { worldMoves } from './world-moves.js';

/** Everything that may happen in a state: each step of each process, each fault, and all that time may bring. */
export function movesFrom(state: State, rules: Rules): Move[] {
  const moves = worldMoves(state, rules);
  for (const [index, { at }] of state.runners.entries()) {
    const isClient = index < rules.scope.clients;
    if (at !== 'idle')
      moves.push(...runMoves(state, rules, index), ...crashMoves(state, rules, index));
    else if (!isClient) moves.push(...sweepMoves(state, rules, index));
    else moves.push(...requestMoves(state, rules, index), ...cancelMoves(state, rules, index));
  }
  return moves.filter(({ kind, next }) => kind !== 'fault' || next.faultsLeft >= 0);
}
