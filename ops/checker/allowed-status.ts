/** The moves of a payment that may be seen. The checker's own copy: it must not be right only where the service is. */
export const ALLOWED_STATUS: Record<string, readonly string[]> = {
  pending: ['authorized', 'succeeded', 'failed', 'canceled'],
  authorized: ['succeeded', 'canceled'],
  succeeded: [],
  failed: [],
  canceled: [],
};

/** And those that only a person's acceptance of late money allows. */
export const ALLOWED_BY_ACCEPTING: Record<string, readonly string[]> = {
  failed: ['succeeded'],
  canceled: ['succeeded'],
};

/** A refund that was taken may still come back. */
export const ALLOWED_REFUND: Record<string, readonly string[]> = {
  pending: ['succeeded', 'failed'],
  succeeded: ['failed'],
  failed: [],
};

/** What was lost may be won after all; an inquiry has no event. */
export const ALLOWED_DISPUTE: Record<string, readonly string[]> = {
  opened: ['won', 'lost'],
  lost: ['won'],
  won: [],
};
