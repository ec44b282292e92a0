import type { ContractDocument, DeclaredAnswer, Operation } from './contract-document.js';
import type { WireAnswer } from './lane.js';

/** What an answer is an answer to. */
export type Asked = {
  /** Null: no operation of the document takes such a request. */
  operation: Operation | null;
  headOnly: boolean;
  /** The request as it was sent, as text. */
  request: string;
  /** What may stand in no answer that refuses it. */
  secrets: readonly string[];
};

/** What is wrong with an answer, by the contract alone; null if nothing is. */
export function faultOf(
  document: ContractDocument,
  asked: Asked,
  answer: WireAnswer,
): string | null {
  const { operation } = asked;
  const { status } = answer;
  if (status >= 500 && status !== 503) return `it answers ${status}`;
  // The front page, also under an absolute address (RFC 9112, 3.2.2): it is for people, and in no document.
  if (operation === null && status === 302 && answer.headers.get('location')?.[0] === '/docs')
    return null;
  const declared = operation === null ? ELSEWHERE.get(status) : operation.answers.get(status);
  const route =
    operation === null ? 'an address outside of it' : `${operation.method} ${operation.path}`;
  if (declared === undefined) return `the document knows no ${status} of ${route}`;
  const missing = ALWAYS.find((name) => answer.headers.get(name)?.length !== 1);
  if (missing !== undefined) return `the header ${missing} does not stand there once`;
  if (asked.headOnly) return null;
  return status >= 400
    ? faultOfProblem(document, asked, declared, answer)
    : faultOfSuccess(document, declared, answer);
}

/** Of every answer, whoever makes it. */
const ALWAYS = ['request-id', 'cache-control', 'x-content-type-options', 'content-type'];

/** Where there is no operation: nothing there, another method, or no HTTP at all. */
const ELSEWHERE: ReadonlyMap<number, DeclaredAnswer> = new Map(
  Object.entries({
    400: 'validation_failed',
    404: 'not_found',
    405: 'method_not_allowed',
    408: 'request_timeout',
    413: 'body_too_large',
    431: 'headers_too_large',
  }).map(([status, code]) => [Number(status), { schema: null, codes: new Set([code]) }]),
);

function faultOfSuccess(
  document: ContractDocument,
  { schema }: DeclaredAnswer,
  { headers, text }: WireAnswer,
): string | null {
  const type = headers.get('content-type')?.[0];
  if (!type?.startsWith('application/json')) return `a success is sent as ${type}`;
  const value = parsed(text);
  if (value === undefined) return 'a success is no JSON';
  return schema === null ? 'a success has no schema' : document.faultOf(schema, value);
}

function faultOfProblem(
  document: ContractDocument,
  asked: Asked,
  { codes }: DeclaredAnswer,
  { status, headers, text }: WireAnswer,
): string | null {
  if (headers.get('content-type')?.[0] !== 'application/problem+json')
    return `a problem is sent as ${headers.get('content-type')?.[0]}`;
  const problem = parsed(text) as Record<string, unknown> | undefined;
  if (typeof problem !== 'object' || problem === null) return 'a problem is no JSON object';
  const fault = document.faultOf(document.problem, problem);
  if (fault !== null) return `a problem is not as declared: ${fault}`;
  const { code, type, status: said, request_id: requestId } = problem;
  if (!codes.has(String(code))) return `${status} carries ${String(code)}, which is not declared`;
  if (said !== status || type !== `/docs/problems/${String(code)}`)
    return 'a problem contradicts itself';
  // A final refusal is saved in the name of the request that claimed the key; a retry may be the first to hear it.
  const isSaved = headers.has('original-request') || status === 402;
  if (!isSaved && requestId !== headers.get('request-id')?.[0])
    return 'a problem names another request than its header';
  if (
    (status === 503 || status === 429) &&
    !/^[1-9]\d*$/.test(headers.get('retry-after')?.[0] ?? '')
  )
    return `${status} without a Retry-After in whole seconds`;
  return leakIn(asked, problem);
}

/** Words of our inside: code, statements, the database's own sentences, places on a disk. */
const INSIDE =
  /\bat \S+ \(.+:\d+:\d+\)|\bnode:internal|node_modules|\bfile:\/\/|\/(?:dist|libs|apps|home|tmp|usr)\/\w|\b[\w-]+\.[cm]?[jt]s:\d+|\bSELECT\b.+\bFROM\b|\bINSERT INTO\b|\bUPDATE \w+ SET\b|violates (?:unique|check|foreign)|duplicate key value|syntax error at|invalid input syntax|out of range for type|relation "|QueryFailedError|ECONNREFUSED|TypeError|RangeError|Cannot read propert|is not a function|\bFST_ERR|HPE_/;

function leakIn({ request, secrets }: Asked, problem: Record<string, unknown>): string | null {
  const said = JSON.stringify(problem);
  const inside = INSIDE.exec(said)?.[0];
  if (inside !== undefined && !request.includes(inside)) return `it tells of our inside: ${inside}`;
  const secret = secrets.find((one) => said.includes(one));
  return secret === undefined ? null : 'it repeats a card number or a secret';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
