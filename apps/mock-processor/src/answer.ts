import type { ErrorBody, StripeError } from './errors.js';
import type { Form } from './form.js';
import type { Thing } from './state.js';
import { wire, type Wire } from './wire.js';

/** A request as the API's parts see it. */
export type Call = {
  path: string;
  /** The object's id in the path, or the empty string. */
  id: string;
  form: Form;
  requestId: string;
  key: string | null;
  /** Aborts when the mock stops. */
  stopped: AbortSignal;
};

/** An answer, and what becomes of it on its way to the caller. */
export type Answer = {
  status: number;
  body: string;
  headers: Record<string, string>;
  delivery: 'whole' | 'reset' | 'hang' | 'garbage';
};

export function objectBody(object: Wire | Record<string, unknown>): string {
  return JSON.stringify(object);
}

export function errorAnswer(
  status: number,
  error: ErrorBody,
  headers: Record<string, string> = {},
  intent: Thing | null = null,
): Answer {
  const shown = intent?.object === 'payment_intent' ? { payment_intent: wire(intent) } : {};
  return {
    status,
    body: objectBody({ error: { ...error, ...shown } }),
    headers,
    delivery: 'whole',
  };
}

export function refusalAnswer(error: StripeError, find: (id: string) => Thing | null): Answer {
  const intent = error.intentId === null ? null : find(error.intentId);
  return errorAnswer(error.status, error.body, error.headers, intent);
}
