import type { Dice } from './dice.js';

/** A number that passes for a card's, 13 to 19 digits long. */
export function cardNumber(dice: Dice): string {
  const length = dice.pick([13, 15, 16, 16, 16, 19]);
  let digits = dice.pick(['4', '51', '37', '6011']);
  while (digits.length < length - 1) digits += String(dice.below(10));
  return digits + checkDigit(digits);
}

/** A key of ours, or a secret of the processor's, by its form. */
export function secretKey(dice: Dice): string {
  const prefix = dice.pick(['po_live_', 'po_test_', 'sk_live_', 'rk_live_', 'whsec_']);
  return prefix + Array.from({ length: 38 }, () => dice.pick([...LETTERS])).join('');
}

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789';

/** The last digit, by which the sum of Luhn becomes a multiple of ten. */
function checkDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const doubled = at % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}
