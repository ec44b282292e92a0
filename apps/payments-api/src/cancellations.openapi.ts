import { applyDecorators } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { PaymentDto } from './payment.dto.js';
import {
  COMMON_PROBLEMS,
  KEYED_PROBLEMS,
  KEY_HEADER,
  LOCATION,
  REPLAY_HEADERS,
  RETRY_AFTER,
  WAIT_HEADER,
  problems,
} from './payments.openapi.js';

class CancelByKeyDto {
  @ApiProperty({ description: 'The key of the request to cancel, seen or not.', maxLength: 257 })
  idempotency_key: string;
}

class CancellationDto {
  @ApiProperty({ enum: ['cancellation'] })
  object: 'cancellation';

  @ApiProperty({
    enum: ['canceled', 'pending'],
    description: '`pending`: the authorization is being given up; nobody knows yet.',
  })
  status: 'canceled' | 'pending';

  @ApiProperty({ type: String, nullable: true, description: 'Null if the key had not been seen.' })
  payment_id: string | null;
}

export const DescribeCancel = () =>
  applyDecorators(
    ApiTags('cancellations'),
    ApiBearerAuth(),
    ApiOperation({
      summary: 'Cancel a payment of which nothing was sent, or give up its authorization',
      operationId: 'cancelPayment',
    }),
    ApiHeader(KEY_HEADER),
    ApiHeader(WAIT_HEADER),
    ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } }),
    ApiResponse({
      status: 200,
      description: 'Canceled; or the saved answer to an earlier request with this key.',
      type: PaymentDto,
      headers: REPLAY_HEADERS,
    }),
    ApiResponse({
      status: 202,
      description:
        'Nobody knows yet whether the authorization was given up. Ask again with the same key, or read the payment.',
      type: PaymentDto,
      headers: { ...REPLAY_HEADERS, ...LOCATION, ...RETRY_AFTER },
    }),
    ...problems([
      'void_failed',
      'payment_in_progress',
      'payment_not_cancelable',
      'payment_not_found',
      ...KEYED_PROBLEMS,
    ]),
  );

export const DescribeCancelByKey = () =>
  applyDecorators(
    ApiTags('cancellations'),
    ApiBearerAuth(),
    ApiOperation({
      summary: 'Cancel by idempotency key, whether its request has come or not',
      operationId: 'cancelByKey',
    }),
    ApiBody({ type: CancelByKeyDto }),
    ApiResponse({ status: 200, type: CancellationDto }),
    ApiResponse({
      status: 202,
      description: 'The authorization is being given up. Ask again.',
      type: CancellationDto,
      headers: RETRY_AFTER,
    }),
    ...problems([
      'void_failed',
      'payment_in_progress',
      'payment_not_cancelable',
      'validation_failed',
      'malformed_json',
      'duplicate_member',
      'too_deep',
      'invalid_encoding',
      'body_too_large',
      'unsupported_media_type',
      'rate_limited',
      ...COMMON_PROBLEMS,
    ]),
  );
