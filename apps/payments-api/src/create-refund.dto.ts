import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Validate } from 'class-validator';
import { isCurrency } from '#money/currencies.js';
import { IsAmount, MINOR_UNITS } from './amount.dto.js';
import { IsCode, IsTextOfLength } from './validators.js';

/** The body of POST /v1/payments/{id}/refunds. */
export class CreateRefundDto {
  @ApiPropertyOptional({
    ...MINOR_UNITS,
    description: 'In minor units; left out, it is all that is left to refund at that moment.',
    example: 500,
  })
  @IsOptional()
  @IsAmount()
  amount?: number;

  @ApiPropertyOptional({
    description: "The payment's currency; any other is refused. ISO 4217, lower case.",
    pattern: '^[a-z]{3}$',
    example: 'myr',
  })
  @IsOptional()
  @Validate(IsCode, [isCurrency], { message: 'currency must be an ISO 4217 code in lower case' })
  currency?: string;

  @ApiPropertyOptional({
    description: 'Your own words. They are never sent to the processor.',
    minLength: 1,
    maxLength: 500,
    example: 'returned',
  })
  @IsOptional()
  @Validate(IsTextOfLength, [1, 500], { message: 'reason must be a string of 1 to 500 characters' })
  reason?: string;
}
