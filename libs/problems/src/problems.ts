import { redact } from './redact.js';
import { PROBLEMS, type ProblemCode, type ProblemDefinition } from './registry.js';

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
    detail: redact(problem.detail ?? definition.summary),
    code: problem.code,
    param: problem.param == null ? null : redact(problem.param),
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
