/**
 * Every answer that is not a success, as data. A problem is part of the contract: its `code` never
 * changes its meaning, and `docs/problems/<code>.md` tells a person what to do about it.
 */
export type ProblemDefinition = {
  status: number;
  title: string;
  /** The first paragraph of its page. */
  summary: string;
  /**
   * true: send the same request with the same key again, after Retry-After.
   * false: the same request will be answered the same way.
   * 'unknown': it depends on something outside the request, which the page names; the same key stays safe.
   */
  retryable: boolean | 'unknown';
  /** It is the final answer of the key, replayed byte for byte. The others leave the key as it was. */
  saved?: true;
  /** Sent as Retry-After unless the caller of `renderProblem` knows better. */
  retryAfterSeconds?: number;
  /** Headers that HTTP demands beside this status. */
  headers?: Readonly<Record<string, string>>;
};

export const PROBLEMS = {
  idempotency_key_missing: {
    status: 400,
    title: 'The Idempotency-Key header is missing',
    summary:
      'Every request that moves money names its intent in an Idempotency-Key header; this one did not.',
    retryable: false,
  },
  idempotency_key_invalid: {
    status: 400,
    title: 'The Idempotency-Key header cannot be read',
    summary: 'The key is empty, too long, or holds characters that a key may not hold.',
    retryable: false,
  },
  idempotency_key_duplicated: {
    status: 400,
    title: 'The Idempotency-Key header is given more than once',
    summary: 'The request carries two Idempotency-Key headers, so it names no single intent.',
    retryable: false,
  },
  idempotency_key_in_progress: {
    status: 409,
    title: 'A request with this key is still running',
    summary:
      'Another request with this key and the same content is being worked on at this moment.',
    retryable: true,
    retryAfterSeconds: 1,
  },
  idempotency_key_reused: {
    status: 422,
    title: 'This key belongs to another request',
    summary: 'The key was used before with another body, another route or another route parameter.',
    retryable: false,
  },
  idempotency_key_expired: {
    status: 409,
    title: 'The answer to this key is no longer kept',
    summary:
      'The request was finished long ago; its answer has been deleted, but the key is remembered, so nothing was charged again.',
    retryable: false,
  },
  idempotency_key_canceled: {
    status: 409,
    title: 'This key was canceled',
    summary:
      'The key was canceled before anything was sent for it, so it charges nothing, now or later, whatever the body.',
    retryable: false,
  },
  payment_in_progress: {
    status: 409,
    title: 'The payment has begun',
    summary:
      'The payment cannot be canceled now: something was sent to the processor for it, or may have been.',
    retryable: 'unknown',
  },
  payment_not_cancelable: {
    status: 409,
    title: 'The payment cannot be canceled',
    summary: 'The payment is final already: there is nothing left to cancel.',
    retryable: false,
  },
  payment_not_capturable: {
    status: 409,
    title: 'The payment cannot be captured',
    summary:
      'Only an authorized payment can be captured, and only once; this one is not authorized.',
    retryable: false,
  },
  capture_exceeds_authorized: {
    status: 400,
    title: 'More would be captured than was authorized',
    summary: 'A capture takes at most the amount that was authorized.',
    retryable: false,
  },
  payment_not_refundable: {
    status: 409,
    title: 'The payment cannot be refunded',
    summary: 'Only money that was captured can be given back, and none of this payment was.',
    retryable: 'unknown',
  },
  refund_exceeds_remaining: {
    status: 400,
    title: 'More would be refunded than is left',
    summary:
      'What was captured, less refunds that succeeded or are under way, less disputes, is all that can be refunded.',
    retryable: false,
  },
  already_refunded: {
    status: 409,
    title: 'The payment is refunded already',
    summary: 'Refunds that succeeded or are under way give back all that was captured.',
    retryable: false,
  },
  payment_disputed: {
    status: 409,
    title: 'A dispute has taken the money',
    summary:
      'The cardholder disputes the payment and the bank has taken the money, so it cannot be refunded as well.',
    retryable: 'unknown',
  },
  currency_mismatch: {
    status: 400,
    title: 'The payment is in another currency',
    summary: 'Captures and refunds are in the currency of their payment.',
    retryable: false,
  },
  capture_failed: {
    status: 402,
    title: 'The capture failed',
    summary: 'Nothing was captured; the payment is still authorized unless it says otherwise.',
    retryable: false,
    saved: true,
  },
  void_failed: {
    status: 402,
    title: 'The void failed',
    summary: 'The authorization was not given up; the payment is still authorized.',
    retryable: false,
    saved: true,
  },
  refund_failed: {
    status: 402,
    title: 'The refund failed',
    summary: 'Nothing was refunded by this request, and nothing of the payment is held for it.',
    retryable: false,
    saved: true,
  },
  order_already_paid: {
    status: 409,
    title: 'This order has a payment already',
    summary:
      'Another payment of yours with this order_id has been charged or authorized, so this one was refused.',
    retryable: false,
  },
  payment_unresolved: {
    status: 409,
    title: 'A payment for this order is not decided yet',
    summary:
      'Another payment of yours with this order_id is still pending, so a second one could charge the order twice.',
    retryable: 'unknown',
  },
  card_declined: {
    status: 402,
    title: 'The card was declined',
    summary: 'The processor refused the charge for good; the payment has failed.',
    retryable: false,
    saved: true,
  },
  payment_not_charged: {
    status: 402,
    title: 'The payment was not charged',
    summary:
      'It is proved that the processor made no charge for this payment; the payment has failed.',
    retryable: false,
    saved: true,
  },
  validation_failed: {
    status: 400,
    title: 'The request is not valid',
    summary: 'A member of the request is missing, unknown, or has a value that is not allowed.',
    retryable: false,
  },
  amount_not_representable: {
    status: 400,
    title: 'The amount cannot be carried in this currency',
    summary:
      'The processor cannot charge exactly this amount in this currency, and amounts are never rounded.',
    retryable: false,
  },
  malformed_json: {
    status: 400,
    title: 'The body is not JSON that can be read in one way only',
    summary:
      'The body breaks the grammar of JSON, or holds something that different programs read differently.',
    retryable: false,
  },
  duplicate_member: {
    status: 400,
    title: 'A member is given twice',
    summary:
      'One object in the body has two members of the same name, and programs disagree about which one counts.',
    retryable: false,
  },
  too_deep: {
    status: 400,
    title: 'The body nests too deep',
    summary: 'The body holds objects or arrays inside each other to more than 32 levels.',
    retryable: false,
  },
  invalid_encoding: {
    status: 400,
    title: 'The body holds characters that cannot be kept',
    summary:
      'The body is not valid UTF-8, or a text in it holds U+0000 or half of a surrogate pair.',
    retryable: false,
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    summary: 'The body is larger than 1 MiB.',
    retryable: false,
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not sent as application/json',
    summary: 'The body has to be plain application/json in UTF-8, without a content encoding.',
    retryable: false,
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    summary: 'The headers of the request take more than 16 KiB together.',
    retryable: false,
  },
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time',
    summary: 'The connection was open, but the whole request did not arrive within the time limit.',
    retryable: true,
    retryAfterSeconds: 1,
  },
  unauthenticated: {
    status: 401,
    title: 'The API key is missing or not valid',
    summary: 'The request carries no API key, or one that is unknown, revoked or expired.',
    retryable: false,
    headers: { 'www-authenticate': 'Bearer' },
  },
  forbidden: {
    status: 403,
    title: 'The API key may not do this',
    summary: 'The API key is valid, but lacks the scope that this request needs.',
    retryable: false,
  },
  not_found: {
    status: 404,
    title: 'There is nothing at this address',
    summary: 'No route of the API has this path.',
    retryable: false,
  },
  payment_not_found: {
    status: 404,
    title: 'There is no such payment',
    summary: 'This account has no payment with this id.',
    retryable: false,
  },
  method_not_allowed: {
    status: 405,
    title: 'This address does not take this method',
    summary: 'The path exists, but not for the HTTP method of the request.',
    retryable: false,
  },
  webhook_signature_invalid: {
    status: 400,
    title: 'The signature of the event is not valid',
    summary:
      'The request has no signature that one of our secrets made over these bytes within the last 300 seconds.',
    retryable: false,
  },
  event_id_reused: {
    status: 409,
    title: 'This event id belongs to another event',
    summary:
      'An event with this id was received before with another content; the first one is kept.',
    retryable: false,
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests for this account',
    summary:
      'The account has too many payments in flight, or started too many new ones within a minute.',
    retryable: true,
    retryAfterSeconds: 1,
  },
  overloaded: {
    status: 503,
    title: 'The service is overloaded',
    summary: 'The service turned the request away before any work was done for it.',
    retryable: true,
    retryAfterSeconds: 1,
  },
  processor_unavailable: {
    status: 503,
    title: 'The card processor cannot be reached',
    summary:
      'The payment was accepted, but it is certain that nothing was sent to the card processor.',
    retryable: true,
    retryAfterSeconds: 5,
  },
  database_unavailable: {
    status: 503,
    title: 'The database cannot be reached',
    summary:
      'The service cannot reach its database, or lost it before the database confirmed this request.',
    retryable: true,
    retryAfterSeconds: 5,
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    summary:
      'The service met an error that it has no answer for; this is a bug, and it has been logged.',
    retryable: 'unknown',
  },
} as const satisfies Record<string, ProblemDefinition>;

export type ProblemCode = keyof typeof PROBLEMS;
