import { type AllowedGraph, GraphSeen } from './allowed-graph.js';
import { type Broken, LIVENESS, brokenBy, brokenIn, isAtRest } from './invariants.js';
import type { Move, Rules } from './move.js';
import { movesFrom } from './moves.js';
import { type State, encode, initialState } from './state.js';

export type Violation = Broken & { path: string[] };

export type Found = {
  states: number;
  edges: number;
  /** The longest of the shortest ways to a state. */
  depth: number;
  violation: Violation | null;
  graph: AllowedGraph;
  /** How often each kind of move was made: one that never was would prove nothing. */
  walked: ReadonlyMap<string, number>;
};

/**
 * Visits every state that can be reached, nearest first, and asks each for the invariants; so the first way to a
 * broken one is a shortest. When all have held, every state must be able to come to rest by itself: without a
 * further request, and without a further fault.
 */
export function search(rules: Rules, progress: (states: number) => void = () => {}): Found {
  const visited = new Visited(rules);
  const graph = new GraphSeen();
  const walked = new Map<string, number>();
  let edges = 0;
  const found = (violation: Violation | null): Found => ({
    states: visited.size,
    edges,
    depth: visited.depth,
    violation,
    graph: graph.seen(),
    walked,
  });
  for (let state = visited.next(); state !== undefined; state = visited.next()) {
    for (const move of movesFrom(state, rules)) {
      edges += 1;
      graph.note(state, move.next);
      walked.set(move.what, (walked.get(move.what) ?? 0) + 1);
      const isNew = visited.reach(move);
      const broken = brokenBy(state, move) ?? (isNew ? brokenIn(move.next) : null);
      if (broken) return found({ ...broken, path: visited.pathTo(move) });
    }
    if (visited.expanded % PROGRESS_EVERY === 0) progress(visited.size);
  }
  const stuck = visited.neverAtRest();
  return found(stuck === null ? null : { ...LIVENESS, path: visited.pathTo(stuck) });
}

const PROGRESS_EVERY = 20_000;

/** Every state once, by its code, with the one that it was first reached from. */
class Visited {
  depth = 0;
  expanded = 0;
  private readonly numbers = new Map<string, number>();
  private readonly codes: string[] = [];
  private readonly parents: number[] = [];
  private readonly depths: number[] = [];
  private readonly waiting: (State | undefined)[] = [];
  private readonly resting: number[] = [];
  /** The steps that come by themselves, as pairs of states. */
  private readonly from: number[] = [];
  private readonly to: number[] = [];

  constructor(private readonly rules: Rules) {
    this.add(initialState(rules.scope), this.codeOf(initialState(rules.scope)), -1);
  }

  get size(): number {
    return this.codes.length;
  }

  next(): State | undefined {
    const state = this.waiting[this.expanded];
    this.waiting[this.expanded] = undefined; // its code is enough from now on
    if (state !== undefined) this.expanded += 1;
    return state;
  }

  /** Notes a move from the state that is being expanded. Whether it leads to a new one. */
  reach({ kind, next }: Move): boolean {
    const code = this.codeOf(next);
    const here = this.expanded - 1;
    const known = this.numbers.get(code);
    const number = known ?? this.add(next, code, here);
    if (kind === 'step' && number !== here) {
      this.from.push(here);
      this.to.push(number);
    }
    return known === undefined;
  }

  private add(state: State, code: string, parent: number): number {
    const number = this.codes.length;
    const depth = parent < 0 ? 0 : (this.depths[parent] ?? 0) + 1;
    this.numbers.set(code, number);
    this.codes.push(code);
    this.parents.push(parent);
    this.depths.push(depth);
    this.waiting.push(state);
    if (isAtRest(state)) this.resting.push(number);
    this.depth = Math.max(this.depth, depth);
    return number;
  }

  /** A nearest state from which no step leads to rest; null if there is none. */
  neverAtRest(): string | null {
    const rests = reachedBackward(this.size, this.resting, this.from, this.to);
    const stuck = rests.findIndex((isReached) => isReached === 0);
    return stuck === -1 ? null : (this.codes[stuck] ?? null);
  }

  /** The way to a state, told from the beginning, so that each process keeps its name. */
  pathTo(end: string | Move): string[] {
    const last = typeof end === 'string' ? end : this.codeOf(end.next);
    const codes: string[] = typeof end === 'string' ? [] : [last];
    let number = typeof end === 'string' ? (this.numbers.get(end) ?? -1) : this.expanded - 1;
    for (; number > 0; number = this.parents[number] ?? -1) codes.unshift(this.codes[number] ?? '');
    return retold(this.rules, codes);
  }

  private codeOf(state: State): string {
    return encode(state, this.rules.scope.clients);
  }
}

function retold(rules: Rules, codes: readonly string[]): string[] {
  let state = initialState(rules.scope);
  return codes.map((code) => {
    const moves = movesFrom(state, rules);
    const move = moves.find(({ next }) => encode(next, rules.scope.clients) === code);
    if (!move) throw new Error('Bug: a way that cannot be told again');
    state = move.next;
    return sentence(rules, move);
  });
}

function sentence({ scope }: Rules, { runner, what, kind }: Move): string {
  const mark = kind === 'fault' ? ' (fault)' : '';
  if (runner === null) return `${what}${mark}`;
  const isClient = runner < scope.clients;
  const name = isClient ? `client ${runner + 1}` : `worker ${runner - scope.clients + 1}`;
  return `${name} ${what}${mark}`;
}

/** Marks all numbers from which a pair, and another, lead to one of `goals`. */
function reachedBackward(
  size: number,
  goals: readonly number[],
  from: readonly number[],
  to: readonly number[],
): Uint8Array {
  const starts = new Uint32Array(size + 1);
  for (const target of to) starts[target + 1] = (starts[target + 1] ?? 0) + 1;
  for (let at = 0; at < size; at += 1) starts[at + 1] = (starts[at + 1] ?? 0) + (starts[at] ?? 0);
  const sources = new Uint32Array(from.length);
  const filled = starts.slice();
  for (const [pair, target] of to.entries()) {
    const place = filled[target] ?? 0;
    sources[place] = from[pair] ?? 0;
    filled[target] = place + 1;
  }
  const reached = new Uint8Array(size);
  const open = [...goals];
  for (const goal of goals) reached[goal] = 1;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (let place = starts[at] ?? 0; place < (starts[at + 1] ?? 0); place += 1) {
      const source = sources[place] ?? 0;
      if (reached[source] === 1) continue;
      reached[source] = 1;
      open.push(source);
    }
  }
  return reached;
}
