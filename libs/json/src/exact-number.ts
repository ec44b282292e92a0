/**
 * The value of a JSON number, or null if a double cannot keep it. Kept means: the double, written out
 * again, is the same decimal. So 0.1 and 2.5e3 are kept; 9007199254740993, 1e400, 1e-400 and
 * 2500.00000000000000000001 are not, and two bodies that differ can never become one value.
 */
export function readNumber(literal: string): number | null {
  const value = Number(literal);
  if (literal.length <= SURE_LENGTH && !/[eE]/.test(literal)) return positiveZero(value);
  return decimalForm(literal) === decimalForm(String(value)) ? positiveZero(value) : null;
}

/** Every decimal of at most 15 digits comes back from a double as it went in. */
const SURE_LENGTH = 15;

const ZERO = 0x30;

/**
 * Significant digits and exponent, the same for every spelling of one value: `2500`, `2500.0` and
 * `2.5e3` are `25e2`. Loops, since a pattern like `0+$` is quadratic on a megabyte of zeros.
 */
function decimalForm(literal: string): string {
  const negative = literal.startsWith('-');
  const [mantissa = '', exponent = '0'] = literal.slice(negative ? 1 : 0).split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  let first = 0;
  while (digits.charCodeAt(first) === ZERO) first += 1;
  let end = digits.length;
  while (end > first && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  if (first === end) return '0';
  const power = Number(exponent) - fraction.length + (digits.length - end);
  return `${negative ? '-' : ''}${digits.slice(first, end)}e${power}`;
}

/** `-0` is the number 0, as in RFC 8785, so that two spellings of one value cannot become two values. */
function positiveZero(value: number): number {
  return value === 0 ? 0 : value;
}
