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
import { REFUND_STATUSES } from '#payments/refund.js';
import { CreateRefundDto } from './create-refund.dto.js';
import {
  COMMON_PROBLEMS,
  KEYED_PROBLEMS,
  KEY_HEADER,
  REPLAY_HEADERS,
  RETRY_AFTER,
  WAIT_HEADER,
  pageQueries,
  problems,
} from './payments.openapi.js';
import { RefundDto, RefundListDto } from './refund.dto.js';

const LOCATION = {
  Location: { description: 'The path of the refund.', schema: { type: 'string' } },
} as const;

export const DescribeRefund = () =>
  applyDecorators(
    ApiTags('refunds'),
    ApiBearerAuth(),
    ApiOperation({
      summary: 'Give back what was captured, all or some',
      operationId: 'createRefund',
    }),
    ApiHeader(KEY_HEADER),
    ApiHeader(WAIT_HEADER),
    ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } }),
    ApiBody({ type: CreateRefundDto, required: false }),
    ApiResponse({
      status: 201,
      description:
        'The processor has the refund, and may still be working on it (`pending`); or the saved answer to an ' +
        'earlier request with this key.',
      type: RefundDto,
      headers: { ...REPLAY_HEADERS, ...LOCATION },
    }),
    ApiResponse({
      status: 202,
      description:
        'Nobody knows yet whether it was made. Ask again with the same key, or read the refund.',
      type: RefundDto,
      headers: { ...REPLAY_HEADERS, ...LOCATION, ...RETRY_AFTER },
    }),
    ...problems([
      'refund_failed',
      'refund_exceeds_remaining',
      'currency_mismatch',
      'already_refunded',
      'payment_not_refundable',
      'payment_disputed',
      'payment_not_found',
      ...KEYED_PROBLEMS,
    ]),
  );

export const DescribeListRefunds = () =>
  applyDecorators(
    ApiTags('refunds'),
    ApiBearerAuth(),
    ApiOperation({ summary: 'Find refunds, newest first', operationId: 'listRefunds' }),
    ApiQuery({ name: 'idempotency_key', required: false, description: 'What became of this key.' }),
    ApiQuery({ name: 'payment_id', required: false }),
    ApiQuery({ name: 'status', required: false, enum: REFUND_STATUSES }),
    ...pageQueries(),
    ApiResponse({ status: 200, type: RefundListDto }),
    ...problems(['validation_failed', ...COMMON_PROBLEMS]),
  );

export const DescribeReadRefund = () =>
  applyDecorators(
    ApiTags('refunds'),
    ApiBearerAuth(),
    ApiOperation({ summary: 'Read a refund as it is today', operationId: 'readRefund' }),
    ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } }),
    ApiResponse({ status: 200, type: RefundDto }),
    ...problems(['not_found', ...COMMON_PROBLEMS]),
  );
