import { applyDecorators } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { CaptureDto } from './capture.dto.js';
import { PaymentDto } from './payment.dto.js';
import {
  KEYED_PROBLEMS,
  KEY_HEADER,
  LOCATION,
  REPLAY_HEADERS,
  RETRY_AFTER,
  WAIT_HEADER,
  problems,
} from './payments.openapi.js';

export const DescribeCapture = () =>
  applyDecorators(
    ApiTags('captures'),
    ApiBearerAuth(),
    ApiOperation({
      summary: 'Take the money of an authorized payment, once',
      operationId: 'capturePayment',
    }),
    ApiHeader(KEY_HEADER),
    ApiHeader(WAIT_HEADER),
    ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } }),
    ApiBody({ type: CaptureDto, required: false }),
    ApiResponse({
      status: 200,
      description: 'Captured; or the saved answer to an earlier request with this key.',
      type: PaymentDto,
      headers: REPLAY_HEADERS,
    }),
    ApiResponse({
      status: 202,
      description:
        'Nobody knows yet whether the money was taken. Ask again with the same key, or read the payment.',
      type: PaymentDto,
      headers: { ...REPLAY_HEADERS, ...LOCATION, ...RETRY_AFTER },
    }),
    ...problems([
      'capture_failed',
      'capture_exceeds_authorized',
      'payment_not_capturable',
      'payment_in_progress',
      'payment_not_found',
      ...KEYED_PROBLEMS,
    ]),
  );
