import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsAmount, MINOR_UNITS } from './amount.dto.js';

/** The body of POST /v1/payments/{id}/capture. */
export class CaptureDto {
  @ApiPropertyOptional({
    ...MINOR_UNITS,
    description: 'In minor units, at most what was authorized; left out, it is all of it.',
  })
  @IsOptional()
  @IsAmount()
  amount?: number;
}
