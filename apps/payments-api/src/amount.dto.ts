import { applyDecorators } from '@nestjs/common';
import { IsInt, Max, Min } from 'class-validator';
import { AMOUNT_MAX, AMOUNT_MIN } from '#money/money.js';

/** How an amount in a body is documented; what it is the amount of, each body says. */
export const MINOR_UNITS = {
  type: 'integer',
  minimum: AMOUNT_MIN,
  maximum: AMOUNT_MAX,
  example: 2500,
} as const;

/** Passes a whole number of minor units within the limits. */
export const IsAmount = () =>
  applyDecorators(
    IsInt({ message: 'amount must be a whole number of minor units' }),
    Min(AMOUNT_MIN, { message: `amount must be at least ${AMOUNT_MIN}` }),
    Max(AMOUNT_MAX, { message: `amount must be at most ${AMOUNT_MAX}` }),
  );
