import { applyDecorators } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { PAYMENT_STATUSES } from '#payments/payment-status.js';
import { PROBLEMS, type ProblemCode } from '#problems/registry.js';
import { CreatePaymentDto } from './create-payment.dto.js';
import { PaymentDto, PaymentListDto, TimelineDto } from './payment.dto.js';
import { ProblemDto } from './problem.dto.js';

export const KEY_HEADER = {
  name: 'Idempotency-Key',
  required: true,
  description:
    'Names the intent: made once before the first try, sent with every retry. 1 to 255 printable ASCII ' +
    'characters, bare or as a quoted structured-field string; case matters.',
  schema: { type: 'string', minLength: 1, maxLength: 257 },
} as const;

/** For routes that know no `respond-async`. */
export const WAIT_HEADER = {
  name: 'Prefer',
  required: false,
  description: '`wait=N`: an answer within N seconds, 202 or 503 if there is none yet.',
  schema: { type: 'string' },
} as const;

export const REPLAY_HEADERS = {
  'Request-Id': { description: "Today's request.", schema: { type: 'string' } },
  'Idempotency-Key': { description: 'The key, unquoted.', schema: { type: 'string' } },
  'Idempotent-Replayed': { description: '`true` on a replay.', schema: { type: 'string' } },
  'Original-Request': {
    description: 'On a replay: the request that claimed the key.',
    schema: { type: 'string' },
  },
} as const;

export const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } },
} as const;
export const LOCATION = {
  Location: { description: 'The path of the payment.', schema: { type: 'string' } },
} as const;

/** Problems that any request with a credential may meet. */
export const COMMON_PROBLEMS: ProblemCode[] = [
  'unauthenticated',
  'forbidden',
  'database_unavailable',
  'internal_error',
];

/** Problems that any request under a key may meet. */
export const KEYED_PROBLEMS: ProblemCode[] = [
  'idempotency_key_missing',
  'idempotency_key_invalid',
  'idempotency_key_duplicated',
  'idempotency_key_in_progress',
  'idempotency_key_reused',
  'idempotency_key_expired',
  'idempotency_key_canceled',
  'overloaded',
  'recovering',
  'validation_failed',
  'malformed_json',
  'duplicate_member',
  'too_deep',
  'invalid_encoding',
  'amount_not_representable',
  'body_too_large',
  'unsupported_media_type',
  'rate_limited',
  'processor_unavailable',
  ...COMMON_PROBLEMS,
];

export const DescribeCreate = () =>
  applyDecorators(
    ApiTags('payments'),
    ApiBearerAuth(),
    ApiOperation({ summary: 'Take a payment', operationId: 'createPayment' }),
    ApiHeader(KEY_HEADER),
    ApiHeader({
      name: 'Prefer',
      required: false,
      description:
        '`respond-async`: 202 at once, a worker charges. `wait=N`: an answer within N seconds, 202 or 503 if there is none yet.',
      schema: { type: 'string' },
    }),
    ApiBody({ type: CreatePaymentDto }),
    ApiResponse({
      status: 201,
      description:
        'Charged, or authorized; or the saved answer to an earlier request with this key.',
      type: PaymentDto,
      headers: { ...REPLAY_HEADERS, ...LOCATION },
    }),
    ApiResponse({
      status: 202,
      description:
        'Nobody knows yet whether the card was charged. Ask again with the same key, or read the payment.',
      type: PaymentDto,
      headers: { ...REPLAY_HEADERS, ...LOCATION, ...RETRY_AFTER },
    }),
    ...problems([
      'card_declined',
      'payment_not_charged',
      'order_already_paid',
      'payment_unresolved',
      ...KEYED_PROBLEMS,
    ]),
  );

export const DescribeList = () =>
  applyDecorators(
    ApiTags('payments'),
    ApiBearerAuth(),
    ApiOperation({ summary: 'Find payments, newest first', operationId: 'listPayments' }),
    ApiQuery({ name: 'idempotency_key', required: false, description: 'What became of this key.' }),
    ApiQuery({ name: 'order_id', required: false }),
    ApiQuery({ name: 'status', required: false, enum: PAYMENT_STATUSES }),
    ...pageQueries(),
    ApiResponse({ status: 200, type: PaymentListDto }),
    ...problems(['validation_failed', ...COMMON_PROBLEMS]),
  );

export const DescribeRead = () =>
  applyDecorators(
    ApiTags('payments'),
    ApiBearerAuth(),
    ApiOperation({ summary: 'Read a payment as it is today', operationId: 'readPayment' }),
    ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } }),
    ApiResponse({ status: 200, type: PaymentDto }),
    ...problems(['payment_not_found', ...COMMON_PROBLEMS]),
  );

export const DescribeTimeline = () =>
  applyDecorators(
    ApiTags('payments'),
    ApiBearerAuth(),
    ApiOperation({
      summary: 'Every step, attempt, takeover and answer of a payment, oldest first',
      operationId: 'readTimeline',
    }),
    ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } }),
    ApiResponse({ status: 200, type: TimelineDto }),
    ...problems(['payment_not_found', ...COMMON_PROBLEMS]),
  );

/** What every list takes. */
export function pageQueries(): MethodDecorator[] {
  const instant = { type: 'string', format: 'date-time' } as const;
  return [
    ApiQuery({ name: 'created_after', required: false, schema: instant }),
    ApiQuery({ name: 'created_before', required: false, schema: instant }),
    ApiQuery({
      name: 'limit',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    }),
    ApiQuery({ name: 'after', required: false, description: 'The `next` of the page before.' }),
  ];
}

/** What any request may meet before it is one: no HTTP, too much of it, or too late. */
const EDGE_PROBLEMS: ProblemCode[] = ['validation_failed', 'headers_too_large', 'request_timeout'];

/** One response for each status, with the codes that it may carry. */
export function problems(codes: ProblemCode[]): MethodDecorator[] {
  // An id may be so long, or so spelt, that there is no such address.
  const isAboutAnId = codes.some((code) => PROBLEMS[code].status === 404);
  const all = new Set([
    ...codes,
    ...EDGE_PROBLEMS,
    ...(isAboutAnId ? (['not_found'] as const) : []),
  ]);
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of all) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].map(([status, ofStatus]) =>
    ApiResponse({
      status,
      description: ofStatus
        .map((code) => `[\`${code}\`](/docs/problems/${code}): ${PROBLEMS[code].title}.`)
        .join('\n\n'),
      content: {
        'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDto' } },
      },
    }),
  );
}

/** Models that only the problem responses name. */
export const EXTRA_MODELS = [ProblemDto];
