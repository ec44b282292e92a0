import { exponentOf } from '#money/currencies.js';

/**
 * Whether a processor can carry this amount exactly. Asked before the claim: what it cannot carry is
 * refused, never rounded, and no key is used up by it.
 *
 * An amount goes to the processor as the caller gave it, as a whole number of minor units, so that
 * the request, the ledger and the processor's book show one number. Minor units are those of ISO 4217,
 * except where the processor counts otherwise; there its count is ours:
 *
 *   isk, ugx   no decimals by ISO 4217, two at Stripe: 500 is 5 krónur, and only whole ones exist
 *   mga        two decimals by ISO 4217, none at Stripe: 500 is 500 ariary
 *
 * `exponentAt` tells the count to whoever prints an amount in major units.
 */
export function checkRepresentable(
  processor: string,
  amount: number,
  currency: string,
): null | { reason: string } {
  const exponent = exponentAt(processor, currency);
  if (exponent === undefined) return { reason: `${currency} is not a currency.` };
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > STRIPE_AMOUNT_MAX) {
    return { reason: `The processor carries 1 to ${STRIPE_AMOUNT_MAX} minor units.` };
  }
  const step = WHOLE_AT_STRIPE.has(currency) ? 100 : exponent === 3 ? 10 : 1;
  if (amount % step === 0) return null;
  const zeros = step === 100 ? '00' : '0';
  return { reason: `The processor carries amounts in ${currency} only if they end in ${zeros}.` };
}

/** How many decimals the processor takes an amount in this currency to have. */
export function exponentAt(processor: string, currency: string): number | undefined {
  const isoExponent = exponentOf(currency);
  if (isoExponent === undefined || !STRIPE_DIALECT.has(processor)) return isoExponent;
  return STRIPE_EXPONENTS[currency] ?? isoExponent;
}

/** The mock speaks Stripe's dialect, with Stripe's limits. */
const STRIPE_DIALECT = new Set(['stripe', 'mock']);

/** Eight digits, whatever the currency. The smallest charge differs by country: Stripe says it itself. */
const STRIPE_AMOUNT_MAX = 99_999_999;

/**
 * Counted in hundredths for old times' sake, although the hundredths are gone. Forints and Taiwan
 * dollars are not here: they are whole in payouts only, a charge has decimals.
 */
const WHOLE_AT_STRIPE = new Set(['isk', 'ugx']);

/** Where Stripe's count differs from that of ISO 4217, and what Stripe lists as having no decimals. */
const STRIPE_EXPONENTS: Readonly<Record<string, number>> = {
  isk: 2,
  ugx: 2,
  ...Object.fromEntries(
    'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'
      .split(' ')
      .map((currency) => [currency, 0]),
  ),
};
