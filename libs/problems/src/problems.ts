import { redact } from './redact.js';
import type { ProblemDefinition } from './problem-definition.js';
import { PROBLEMS, type ProblemCode } from './registry.js';

export type Problem = {
  code: ProblemCode;
  /**
   * What is wrong with this request, for a person; the summary of its page if there is no more to say.
   * Never holds stored content, a key or a card number.
   */
  detail?: string;
  /** The dotted path of the member at fault, `metadata.a`. */
  param?: string | null;
  retryAfterSeconds?: number;
  /** Members that the code adds: `payment_id`, `remaining`, `decline_code`, `payment`. */
  extra?: Record<string, unknown>;
};

/**
 * A problem as RFC 9457 bytes. Members stand in a fixed order and nothing depends on who renders, or
 * where: `type` is a path. So a problem that is saved as a key's answer is the same from every replica.
 */
export function renderProblem(
  problem: Problem,
  requestId: string,
): { status: number; headers: Record<string, string>; body: string } {
  const definition = definitionOf(problem.code);
  const fixed = {
    type: problemPath(problem.code),
    title: definition.title,
    status: definition.status,
    detail: shown(problem.detail ?? definition.summary, DETAIL_LENGTH_MAX),
    code: problem.code,
    param: problem.param == null ? null : shown(problem.param, PARAM_LENGTH_MAX),
    retryable: definition.retryable,
    request_id: requestId,
  };
  return {
    status: definition.status,
    headers: headersOf(problem),
    // The fixed members win: no extra may turn one problem into another.
    body: JSON.stringify({ ...fixed, ...problem.extra, ...fixed }),
  };
}

const DETAIL_LENGTH_MAX = 1_000;
const PARAM_LENGTH_MAX = 200;
/** More than a card number with its blanks: one that is cut by the length is still seen whole. */
const CARD_LENGTH_MAX = 40;
const HALF_A_PAIR = /\p{Surrogate}$/u;

/**
 * A text for an answer. It may hold a name that a caller chose, a megabyte of digits: shortened before it
 * is searched for card numbers, since that takes a second for such a text, and everybody would wait.
 */
function shown(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return redact(text);
  const whole = redact(text.slice(0, lengthMax + CARD_LENGTH_MAX));
  return `${whole.slice(0, lengthMax).replace(HALF_A_PAIR, '')}…`;
}

/** The address of the page for people, and the problem's `type`. */
export function problemPath(code: ProblemCode): string {
  return `/docs/problems/${code}`;
}

function headersOf(problem: Problem): Record<string, string> {
  const { headers, retryAfterSeconds } = definitionOf(problem.code);
  const wait = problem.retryAfterSeconds ?? retryAfterSeconds;
  return {
    'content-type': 'application/problem+json',
    ...headers,
    // HTTP knows whole seconds only; rounding down would invite the caller back too early.
    ...(wait === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(wait))) }),
  };
}

function definitionOf(code: ProblemCode): ProblemDefinition {
  return PROBLEMS[code];
}
