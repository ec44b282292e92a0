import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiOperation,
  ApiProperty,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { problems } from './payments.openapi.js';

class ReceivedDto {
  @ApiProperty({ enum: [true] })
  received: true;
}

export const DescribeWebhook = () =>
  applyDecorators(
    ApiTags('webhooks'),
    ApiOperation({
      summary: "Receive an event of the card processor, in Stripe's form",
      operationId: 'receiveStripeEvent',
    }),
    ApiHeader({
      name: 'Stripe-Signature',
      required: true,
      description: '`t=<seconds>,v1=<hex>`, over the bytes of the body; not more than 300 s off.',
      schema: { type: 'string' },
    }),
    ApiBody({ schema: { type: 'object', description: 'The event.' } }),
    ApiResponse({
      status: 200,
      description: 'Stored, now or before. Also for events that mean nothing here.',
      type: ReceivedDto,
    }),
    ...problems([
      'webhook_signature_invalid',
      'malformed_json',
      'duplicate_member',
      'too_deep',
      'invalid_encoding',
      'validation_failed',
      'event_id_reused',
      'body_too_large',
      'database_unavailable',
      'internal_error',
    ]),
  );
