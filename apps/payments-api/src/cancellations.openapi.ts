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
import { COMMON_PROBLEMS, KEY_HEADER, problems } from './payments.openapi.js';

class CancelByKeyDto {
  @ApiProperty({ description: 'The key of the request to cancel, seen or not.', maxLength: 257 })
  idempotency_key: string;
}

class CancellationDto {
  @ApiProperty({ enum: ['cancellation'] })
  object: 'cancellation';

  @ApiProperty({ enum: ['canceled'] })
  status: 'canceled';

  @ApiProperty({ type: String, nullable: true, description: 'Null if the key had not been seen.' })
  payment_id: string | null;
}

export const DescribeCancel = () =>
  applyDecorators(
    ApiTags('cancellations'),
    ApiBearerAuth(),
    ApiOperation({
      summary: 'Cancel a payment of which nothing was sent',
      operationId: 'cancelPayment',
    }),
    ApiHeader(KEY_HEADER),
    ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } }),
    ApiResponse({ status: 200, type: PaymentDto }),
    ...problems([
      'payment_in_progress',
      'payment_not_cancelable',
      'payment_not_found',
      'idempotency_key_missing',
      'idempotency_key_invalid',
      'idempotency_key_duplicated',
      'idempotency_key_reused',
      'idempotency_key_expired',
      'validation_failed',
      'malformed_json',
      'unsupported_media_type',
      ...COMMON_PROBLEMS,
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
    ...problems([
      'payment_in_progress',
      'payment_not_cancelable',
      'validation_failed',
      'malformed_json',
      'unsupported_media_type',
      'rate_limited',
      ...COMMON_PROBLEMS,
    ]),
  );
