const PER_THOUSAND = 29;
const FIXED = 30;

/**
 * What a charge costs the merchant: 2.9 % rounded half up, and 30 minor units, in the charge's own
 * currency. An amount that the fee would exceed is charged without one, so that no net is negative.
 */
export function feeFor(amount: number): number {
  const fee = Math.floor((amount * PER_THOUSAND + 500) / 1000) + FIXED;
  return fee > amount ? 0 : fee;
}
