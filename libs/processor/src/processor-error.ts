import { members, wordOrNull } from './reading.js';

/** What an answer says went wrong. */
export type ProcessorError = {
  type: string;
  code: string | null;
  declineCode: string | null;
  message: string;
};

/** Reads an `error` or `last_payment_error`. Null for anything that is not an object with a type. */
export function readProcessorError(value: unknown): ProcessorError | null {
  const { type, code, decline_code, message } = members(value);
  if (typeof type !== 'string') return null;
  return {
    type,
    code: wordOrNull(code),
    declineCode: wordOrNull(decline_code),
    message: typeof message === 'string' ? presentable(message) : '',
  };
}

/** For the caller's eyes: of bounded length, and with whatever may be a card number masked. */
function presentable(message: string): string {
  return message
    .slice(0, MESSAGE_LENGTH_MAX)
    .replace(/\d(?:[ -]?\d){11,}/g, '****')
    .replace(/\b[sr]k_\w+/g, '****');
}

const MESSAGE_LENGTH_MAX = 500;
