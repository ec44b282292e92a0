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
