import type { FastifyRequest } from 'fastify';
import { operatorOf } from '#platform/auth.guard.js';
import { ProblemError } from '#platform/problem-error.js';
import { redact } from '#problems/redact.js';
import { isId, parseInstant } from './read-filters.js';
import { readBody } from './read-request.js';

const REASON_LENGTH_MAX = 1_000;
/** As processors make them; it becomes part of an address. */
const PROCESSOR_ID = /^\w{1,255}$/;

/** What an operator asks for. Who asks is told by their key alone. */
export type ActRequest = {
  mode: 'test' | 'live';
  actor: string;
  reason: string;
  requestId: string;
};

/** The body of an act that has no members but its reason. */
export function readAct(request: FastifyRequest): ActRequest {
  return actOf(request, readMembers(request, []));
}

export type Resolution = { as: 'happened'; processorId: string } | { as: 'did_not_happen' };

export function readResolve(request: FastifyRequest): ActRequest & { resolution: Resolution } {
  const members = readMembers(request, ['as', 'processor_id']);
  const act = actOf(request, members);
  const { as, processor_id: processorId } = members;
  if (as !== 'happened' && as !== 'did_not_happen') {
    throw invalid('as', 'as must be "happened" or "did_not_happen".');
  }
  if (as === 'did_not_happen') {
    if (processorId === undefined) return { ...act, resolution: { as } };
    throw invalid('processor_id', 'processor_id belongs to "happened" only.');
  }
  if (typeof processorId !== 'string' || !PROCESSOR_ID.test(processorId)) {
    const detail = 'processor_id must name what happened, by the id that the processor gave it.';
    throw invalid('processor_id', detail);
  }
  return { ...act, resolution: { as, processorId } };
}

export function readRange(request: FastifyRequest): ActRequest & { from: Date; to: Date } {
  const members = readMembers(request, ['from', 'to']);
  const act = actOf(request, members);
  const [from, to] = [instantOf(members, 'from'), instantOf(members, 'to')];
  if (from >= to) throw invalid('to', 'to must be later than from.');
  return { ...act, from, to };
}

/** Acts on breaks name their reason in a word too, so that reasons can be counted. */
export function readBreakAct(request: FastifyRequest): ActRequest & { reasonCode: string } {
  const members = readMembers(request, ['reason_code']);
  const act = actOf(request, members);
  const { reason_code: reasonCode } = members;
  if (typeof reasonCode !== 'string' || !REASON_CODE.test(reasonCode)) {
    const detail = 'reason_code must be a word such as goods_sent: a to z, 0 to 9, _, at most 100.';
    throw invalid('reason_code', detail);
  }
  return { ...act, reasonCode };
}

const REASON_CODE = /^[a-z][a-z0-9_]{0,99}$/;

export function readBreakId(text: string): string {
  if (!isId(text)) throw noSuchBreak();
  return text;
}

export function noSuchBreak(): ProblemError {
  return new ProblemError({ code: 'not_found', detail: 'There is no break with this id.' });
}

/** An id that cannot be one of ours is simply not there. */
export function readOperationId(text: string): string {
  if (!isId(text)) throw noSuchOperation();
  return text;
}

export function noSuchOperation(): ProblemError {
  return new ProblemError({ code: 'not_found', detail: 'There is no operation with this id.' });
}

export function invalid(param: string | null, detail: string): ProblemError {
  return new ProblemError({ code: 'validation_failed', param, detail });
}

type Members = Record<string, unknown>;

function readMembers(request: FastifyRequest, known: readonly string[]): Members {
  const body = readBody(request);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid(null, 'The body must be a JSON object.');
  }
  const unknown = Object.keys(body).find((name) => name !== 'reason' && !known.includes(name));
  if (unknown !== undefined) throw invalid(unknown, `${unknown} is not a known field.`);
  return body as Members;
}

/** What is written into the audit log stays there: secrets and card numbers are masked before. */
function actOf(request: FastifyRequest, { reason }: Members): ActRequest {
  if (
    typeof reason !== 'string' ||
    reason.trim() === '' ||
    [...reason].length > REASON_LENGTH_MAX
  ) {
    const detail = `reason must say why, in 1 to ${REASON_LENGTH_MAX} characters.`;
    throw invalid('reason', detail);
  }
  const { mode, operator: actor } = operatorOf(request);
  const masked = [...redact(reason)].slice(0, REASON_LENGTH_MAX).join('');
  return { mode, actor, reason: masked, requestId: request.id };
}

function instantOf(members: Members, name: 'from' | 'to'): Date {
  const text = members[name];
  const at = typeof text === 'string' ? parseInstant(text) : null;
  if (at !== null) return at;
  throw invalid(name, `${name} must be an RFC 3339 instant, such as 2026-12-01T00:00:00Z.`);
}
