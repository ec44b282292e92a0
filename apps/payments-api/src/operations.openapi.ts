import { ApiProperty, ApiQuery } from '@nestjs/swagger';
import type { ProblemCode } from '#problems/registry.js';
import { COMMON_PROBLEMS } from './payments.openapi.js';

/** What any act of an operator takes: nothing without a reason. */
export class ActDto {
  @ApiProperty({
    minLength: 1,
    maxLength: 1_000,
    description: 'Why. It is kept for ever, secrets and card numbers in it masked.',
  })
  reason: string;
}

export const INSTANT = {
  type: String,
  format: 'date-time',
  example: '2026-12-01T12:00:00.000Z',
} as const;

/** Problems that any body of an act may meet. */
export const ACT_PROBLEMS: ProblemCode[] = [
  'validation_failed',
  'malformed_json',
  'duplicate_member',
  'too_deep',
  'invalid_encoding',
  'body_too_large',
  'unsupported_media_type',
  ...COMMON_PROBLEMS,
];

export const PAGING: MethodDecorator[] = [
  ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  }),
  ApiQuery({ name: 'after', required: false, description: 'The `next` of the page before.' }),
];
