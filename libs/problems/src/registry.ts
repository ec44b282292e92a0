import type { ProblemDefinition } from './problem-definition.js';
import { STEP_PROBLEMS } from './step-problems.js';

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
    title: 'Something is under way for the payment',
    summary:
      'Something was sent to the processor for the payment, or may have been, so it cannot be canceled or captured now.',
    retryable: 'unknown',
  },
  payment_not_cancelable: {
    status: 409,
    title: 'The payment cannot be canceled',
    summary: 'The payment is final already: there is nothing left to cancel.',
    retryable: false,
  },
  ...STEP_PROBLEMS,
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
    summary: 'No route of the API has this path, or this account has nothing with this id.',
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
  operation_not_in_review: {
    status: 409,
    title: 'The operation is not in review',
    summary:
      'The operation is settled already, or recovery is still working on it: there is nothing for a person to decide.',
    retryable: false,
  },
  break_not_settleable: {
    status: 409,
    title: 'The break cannot be settled this way',
    summary:
      'The break is closed, a refund of its money was ordered, or it is of a kind that this act does not fit.',
    retryable: false,
  },
  second_person_required: {
    status: 403,
    title: 'A second person is required',
    summary: 'Whoever asked that something be written off cannot approve it as well.',
    retryable: false,
  },
  proof_not_confirmed: {
    status: 409,
    title: 'The processor does not bear it out',
    summary:
      'What was said of the operation is not what the processor shows, or the processor could not be asked; nothing was settled.',
    retryable: 'unknown',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests for this account',
    summary:
      'The account has too many payments in flight, or started too many new ones within a minute.',
    retryable: true,
    retryAfterSeconds: 1,
  },
  recovering: {
    status: 503,
    title: 'The service is finding out what a lost database had done',
    summary:
      'The database was set back to an earlier instant, and what was charged since is being asked of the processor. Until that is known, nothing new is taken.',
    retryable: true,
    retryAfterSeconds: 5,
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
