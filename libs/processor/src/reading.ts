import { parseStrictJson } from '#json/strict-json.js';
import type { Reading } from './classification-row.js';

/** The body of an answer as the object that it should be; null for any other, whatever is wrong with it. */
export function readBody(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value = parseStrictJson(bytes);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The members of an object; none for anything else. */
export function members(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function foreign(id: string, what: string): Reading {
  return { kind: 'foreign', detail: `${id} tells of ${what}` };
}

export function unreadable(why: string): Reading {
  return { kind: 'unreadable', detail: why };
}

export function wordOrNull(value: unknown): string | null {
  return typeof value === 'string' && WORD.test(value) ? value : null;
}

/** The id of what a member holds: the id alone, or the object itself where it was expanded. */
export function idIn(value: unknown): unknown {
  return isObject(value) ? value['id'] : value;
}

export const WORD = /^[a-z][a-z0-9_]{0,99}$/;
export const PAYMENT_ID = /^pi_\w{1,250}$/;
/** Refunds of cards, and of other ways to pay. */
export const REFUND_ID = /^(re|pyr)_\w{1,250}$/;
/** The second form is that of old ones. */
export const DISPUTE_ID = /^(du|dp)_\w{1,250}$/;
