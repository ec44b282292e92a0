import { members } from './reading.js';

/** Whose a payment or a refund at the processor is. Nulls where it says nothing that could be ours. */
export type Reference = {
  accountId: string | null;
  /** The key that the operation was sent under. */
  intent: string | null;
};

/** The reference that our charges and refunds carry in their metadata. */
export function referenceIn(metadata: unknown): Reference {
  const { payonce_account, payonce_intent } = members(metadata);
  return { accountId: uuidOrNull(payonce_account), intent: uuidOrNull(payonce_intent) };
}

function uuidOrNull(value: unknown): string | null {
  return typeof value === 'string' && UUID.test(value) ? value : null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
