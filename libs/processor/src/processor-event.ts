import canonicalize from 'canonicalize';
import { createHash } from 'node:crypto';
import { maskSecrets } from '#problems/redact.js';
import { members } from './reading.js';
import { type Reference, referenceIn } from './reference.js';

/** An event as the processor tells it: news of one object, of which only the object itself is the truth. */
export type ProcessorEvent = {
  id: string;
  type: string;
  /** Seconds since 1970, by the processor's clock. */
  createdSeconds: number;
  objectId: string | null;
  /** What makes two deliveries one event, whatever else their renderings say. */
  bodyHash: Buffer;
  /** To be kept: JSON in which known secrets are masked. */
  payload: string;
};

/** Reads an event that the strict parser gave; null for anything that is none. `text` is kept if it holds no secret. */
export function readProcessorEvent(value: unknown, text?: string): ProcessorEvent | null {
  const { object, id, type, created, data } = members(value);
  if (object !== 'event' || !isText(id) || !isText(type)) return null;
  if (!Number.isSafeInteger(created) || Number(created) < 0) return null;
  if (Object.keys(members(data)).length === 0) return null;
  const told = members(members(data)['object'])['id'];
  const bodyHash = createHash('sha256')
    .update(String(canonicalize({ type, created, data })), 'utf8')
    .digest();
  return {
    id,
    type,
    createdSeconds: Number(created),
    objectId: isText(told) ? told : null,
    bodyHash,
    payload: maskedText(value, text),
  };
}

/** The reference that the object of an event carries. */
export function readReference(payload: unknown): Reference {
  return referenceIn(objectOf(payload)['metadata']);
}

/** The payment that the object of an event belongs to, by the processor's id. */
export function readPaymentId(payload: unknown): string | null {
  const { payment_intent: id } = objectOf(payload);
  return isText(id) ? id : null;
}

/** The key of the request that made an event happen; null for what happened by itself, or under a key of another form. */
export function readRequestKey(payload: unknown): string | null {
  const { idempotency_key: key } = members(members(payload)['request']);
  return typeof key === 'string' && UUID.test(key) ? key : null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function objectOf(payload: unknown): Record<string, unknown> {
  return members(members(members(payload)['data'])['object']);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value);
}

/** Visible ASCII, as ids and types are; it is shown in logs and in operators' addresses. */
const ID = /^[!-~]{1,255}$/;

/** With a client secret somebody could confirm a payment in our customer's name: none is ever kept. */
function maskedText(value: unknown, text: string | undefined): string {
  const whole = JSON.stringify(value);
  const masked = JSON.stringify(value, (name, member: unknown) => {
    if (typeof member !== 'string') return member;
    return SECRET_NAME.test(name) ? '***' : maskSecrets(member);
  });
  return masked === whole && text !== undefined ? text : masked;
}

const SECRET_NAME = /(^|_)secret$/i;
