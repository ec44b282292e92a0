/** The inside of Stripe's error body, `{"error": {…}}`. */
export type ErrorBody = {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  charge?: string;
};

/**
 * An answer that is an error and that is never kept under the request's key: throwing one undoes the
 * whole request. Errors that are kept (declines, stored 500s) are results, not exceptions.
 */
export class StripeError extends Error {
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
    readonly headers: Record<string, string> = {},
    /** The intent that Stripe adds to some errors, so that its client can hand it on. */
    readonly intentId: string | null = null,
  ) {
    super(body.message);
  }
}

export function invalid(message: string, param?: string, code?: string): StripeError {
  return new StripeError(400, {
    type: 'invalid_request_error',
    message,
    ...(param !== undefined && { param }),
    ...(code !== undefined && { code }),
  });
}

export function missing(what: string, id: string, param = 'id', status = 404): StripeError {
  const message = `No such ${what}: '${id}'`;
  const body = { type: 'invalid_request_error', code: 'resource_missing', message, param } as const;
  return new StripeError(status, body);
}

export function unauthenticated(message: string): StripeError {
  return new StripeError(
    401,
    { type: 'invalid_request_error', message },
    { 'www-authenticate': 'Bearer realm="Stripe"' },
  );
}

/** The limiter's answer: given before any work, and so listed as such by its code. */
export function rateLimited(): StripeError {
  return new StripeError(
    429,
    {
      type: 'invalid_request_error',
      code: 'rate_limit',
      message: 'Request rate limit exceeded. Nothing was done; send the same request again later.',
    },
    {
      'retry-after': '1',
      'stripe-should-retry': 'true',
      'stripe-rate-limited-reason': 'global-rate',
    },
  );
}

export const SERVER_ERROR: ErrorBody = {
  type: 'api_error',
  message: 'An unknown error occurred. Whether the request took effect is not known.',
};

/** What `stored_io_error` keeps under a key whose first send failed on the way. */
export const IO_ERROR: ErrorBody = {
  type: 'api_error',
  code: 'io_error',
  message: 'The connection to the issuer failed while the request was handled.',
};

export const OUT_OF_SERVICE: ErrorBody = {
  type: 'api_error',
  message: 'The service is unavailable. Nothing was done.',
};
