import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches, Validate } from 'class-validator';
import { isCurrency } from '#money/currencies.js';
import { IsAmount, MINOR_UNITS } from './amount.dto.js';
import { HoldsNoSecret, IsCode, IsMetadata, IsTextOfLength } from './validators.js';

const CAPTURES = ['automatic', 'manual'] as const;

/** The body of POST /v1/payments: validation, type and documentation in one. */
export class CreatePaymentDto {
  @ApiProperty({
    ...MINOR_UNITS,
    description: 'In minor units: 2500 is 25.00 in a currency with two decimals.',
  })
  @IsAmount()
  amount: number;

  @ApiProperty({ description: 'ISO 4217, lower case.', pattern: '^[a-z]{3}$', example: 'myr' })
  @Validate(IsCode, [isCurrency], { message: 'currency must be an ISO 4217 code in lower case' })
  currency: string;

  @ApiProperty({
    description: "The processor's id of the payment method. Never a card number, nor a secret.",
    pattern: '^[A-Za-z][A-Za-z0-9_]{0,254}$',
    example: 'pm_123',
  })
  @IsString({ message: 'payment_method must be a string' })
  @Matches(/^[A-Za-z][A-Za-z0-9_]{0,254}$/, {
    message: 'payment_method must be an id such as pm_123',
  })
  @Validate(HoldsNoSecret, { message: 'payment_method must not hold a card number or a secret' })
  payment_method: string;

  @ApiPropertyOptional({
    description:
      'Your own order: while one of its payments is live, a second key for it is refused.',
    minLength: 1,
    maxLength: 255,
    example: '1042',
  })
  @IsOptional()
  @Validate(IsTextOfLength, [1, 255], {
    message: 'order_id must be a string of 1 to 255 characters',
  })
  order_id?: string;

  @ApiPropertyOptional({ maxLength: 1000 })
  @IsOptional()
  @Validate(IsTextOfLength, [0, 1000], {
    message: 'description must be a string of at most 1000 characters',
  })
  description?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 500 },
    maxProperties: 50,
    description: 'At most 50 members; names of 1 to 40 characters, values of at most 500.',
  })
  @IsOptional()
  @Validate(IsMetadata)
  metadata?: Record<string, string>;

  @ApiPropertyOptional({
    enum: CAPTURES,
    default: 'automatic',
    description: '`manual` only authorizes: the money is taken by a capture, or left by a cancel.',
  })
  @IsOptional()
  @IsIn(CAPTURES, { message: `capture must be ${CAPTURES.join(' or ')}` })
  capture?: (typeof CAPTURES)[number];
}
