/**
 * The protocol's whole state for one intent: what stands in the database, what the processor knows, what callers
 * were told, and where each running process is. Every member has a small domain, so that all states can be
 * counted out; what is not here (amounts, texts, times) decides nothing.
 */
export type State = Database & Processor & Callers & { runners: readonly Runner[] };

type Database = {
  key: (typeof DOMAINS)['key'][number];
  /** `locked_until` lies ahead. */
  leased: boolean;
  payment: (typeof DOMAINS)['payment'][number];
  /** Rows of payments for this intent, and charge entries in the ledger. More than one must never be. */
  payments: 0 | 1 | 2;
  booked: 0 | 1 | 2;
  saved: Answer;
  /** Some attempt is closed as unknown, or open with nobody left who would close it. */
  doubt: boolean;
  /** `stored_error_at`: the processor replays a server error under our key. */
  errorKept: boolean;
  /** The operation's limit for sends: none runs, it lies ahead, or it has passed. */
  limit: (typeof DOMAINS)['limit'][number];
  /** Its caller has gone: work that was not sent is queued again. */
  queued: boolean;
  review: boolean;
  /** The key's end has come. */
  ended: boolean;
  /** Money that came late stands in suspense until a person has settled it. */
  breakIs: (typeof DOMAINS)['breakIs'][number];
};

type Processor = {
  /** What it answers to a request under our key. */
  kept: (typeof DOMAINS)['kept'][number];
  /** Charges that stand. */
  charges: 0 | 1 | 2;
  /** A look-up shows them. */
  visible: boolean;
  /** So much time has passed since the kept error that what was charged before it shows. */
  windowPassed: boolean;
  /** Requests on their way that nobody waits for any more. */
  underway: 0 | 1 | 2;
  /** An event of a late success has not arrived yet. */
  news: boolean;
};

type Callers = {
  /** The final answer that was heard; `two` if different ones were. */
  told: Answer | 'two';
  /** A caller was told that nothing was sent, and nobody has asked again; `broken` if money moved all the same. */
  waived: (typeof DOMAINS)['waived'][number];
  faultsLeft: number;
};

/** A process at its work for the intent: a client's request, or a worker. */
export type Runner = {
  at: (typeof RUNNER_DOMAINS)['at'][number];
  /** The token in the key's row is its own. */
  holds: boolean;
  /** Its lease says that an earlier attempt may have moved money. */
  unknownBefore: boolean;
  /** What it knows after its call and has not written yet. */
  knows: (typeof RUNNER_DOMAINS)['knows'][number];
};

export type Answer = (typeof DOMAINS)['saved'][number];
export type KeyState = State['key'];
export type PaymentStatus = State['payment'];

const FLAG = [false, true] as const;
const COUNT = [0, 1, 2] as const;
const ANSWERS = ['none', 'charged', 'declined', 'not_charged', 'canceled'] as const;

/** All values of all members, in the order in which a state is written down. */
const DOMAINS = {
  key: ['unseen', 'started', 'released', 'queued', 'finished', 'canceled'],
  leased: FLAG,
  payment: ['none', 'pending', 'authorized', 'succeeded', 'failed', 'canceled'],
  payments: COUNT,
  booked: COUNT,
  saved: ANSWERS,
  doubt: FLAG,
  errorKept: FLAG,
  limit: ['none', 'ahead', 'passed'],
  queued: FLAG,
  review: FLAG,
  ended: FLAG,
  breakIs: ['none', 'open', 'settled'],
  kept: ['nothing', 'charged', 'declined', 'error', 'error_charged'],
  charges: COUNT,
  visible: FLAG,
  windowPassed: FLAG,
  underway: COUNT,
  news: FLAG,
  told: [...ANSWERS, 'two'],
  waived: ['no', 'yes', 'broken'],
  faultsLeft: [0, 1, 2, 3, 4, 5],
} as const;

const RUNNER_DOMAINS = {
  at: ['idle', 'saw_unseen', 'unsure', 'sending', 'cleared', 'waiting', 'asking', 'ending'],
  holds: FLAG,
  unknownBefore: FLAG,
  knows: [
    'nothing',
    'charged',
    'declined',
    'not_charged',
    'never_sent',
    'unknown',
    'unknown_kept',
    'not_sent',
  ],
} as const;

const IDLE: Runner = { at: 'idle', holds: false, unknownBefore: false, knows: 'nothing' };

export type Scope = { clients: number; workers: number; faults: number; capture: Capture };
export type Capture = 'automatic' | 'manual';
export const FAULTS_MAX = DOMAINS.faultsLeft.length - 1;

export function initialState({ clients, workers, faults }: Scope): State {
  return {
    key: 'unseen',
    leased: false,
    payment: 'none',
    payments: 0,
    booked: 0,
    saved: 'none',
    doubt: false,
    errorKept: false,
    limit: 'none',
    queued: false,
    review: false,
    ended: false,
    breakIs: 'none',
    kept: 'nothing',
    charges: 0,
    visible: false,
    windowPassed: false,
    underway: 0,
    news: false,
    told: 'none',
    waived: 'no',
    faultsLeft: faults,
    runners: Array.from({ length: clients + workers }, () => IDLE),
  };
}

export function withRunner(state: State, index: number, change: Partial<Runner>): State {
  const runners = state.runners.map((each, at) => (at === index ? { ...each, ...change } : each));
  return { ...state, runners };
}

/** Its work is over, well or not: it remembers nothing, and its token is nobody's. */
export function idle(state: State, index: number): State {
  return withRunner(state, index, IDLE);
}

/** Nobody but `index` may hold the row's token from now on. */
export function giveToken(state: State, index: number): State {
  const runners = state.runners.map((each, at) =>
    at === index ? { ...each, holds: true } : each.holds ? { ...each, holds: false } : each,
  );
  return { ...state, runners };
}

type Fields = keyof typeof DOMAINS;
const FIELDS = Object.keys(DOMAINS) as Fields[];
const CODES = new Map(FIELDS.map((field) => [field, codesOf(DOMAINS[field])]));
const RUNNER_FIELDS = Object.keys(RUNNER_DOMAINS) as (keyof Runner)[];
const RUNNER_SIZES = RUNNER_FIELDS.map((field) => RUNNER_DOMAINS[field].length);
const RUNNER_CODES = RUNNER_FIELDS.map((field) => codesOf(RUNNER_DOMAINS[field]));

function codesOf(domain: readonly unknown[]): Map<unknown, number> {
  return new Map(domain.map((value, code) => [value, code]));
}

/**
 * A state as a short text, equal for states that differ only in which of two clients, or of two workers, is
 * which: all of a kind may do the same things.
 */
export function encode(state: State, clients: number): string {
  let text = '';
  for (const field of FIELDS) text += String.fromCharCode(codeOf(field, state[field]));
  const codes = state.runners.map(runnerCode);
  const sorted = [...codes.slice(0, clients).sort(), '|', ...codes.slice(clients).sort()];
  return text + sorted.join('');
}

function codeOf(field: Fields, value: unknown): number {
  const code = CODES.get(field)?.get(value);
  if (code === undefined) throw new Error(`Bug: ${field} is ${String(value)}`);
  return code + 48;
}

function runnerCode(runner: Runner): string {
  let code = 0;
  for (const [at, field] of RUNNER_FIELDS.entries())
    code = code * (RUNNER_SIZES[at] ?? 1) + (RUNNER_CODES[at]?.get(runner[field]) ?? 0);
  return String.fromCharCode(code + 256);
}
