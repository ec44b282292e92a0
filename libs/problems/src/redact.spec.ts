import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskCardNumbers, maskSecrets, redact } from './redact.js';

describe('maskCardNumbers', () => {
  it.each([
    ['4242424242424242', '************4242'],
    ['paid with 4242424242424242.', 'paid with ************4242.'],
    ['4242 4242 4242 4242', '**** **** **** 4242'],
    ['4242-4242-4242-4242', '****-****-****-4242'],
    ['378282246310005', '***********0005'],
    ['3782 822463 10005', '**** ****** *0005'],
    ['4222222222222', '*********2222'],
    ['6304000000000000', '************0000'],
    ['6011 0000 0000 0000 001', '**** **** **** ***0 001'],
    ['4242424242424242 12/27', '************4242 12/27'],
    ['4242 4242 4242 4242 123', '**** **** **** 4242 123'],
    ['17 4242424242424242', '17 ************4242'],
    ['pm_4242424242424242', 'pm_************4242'],
    ['{"order_id":"4242424242424242"}', '{"order_id":"************4242"}'],
    ['4242424242424242,5555555555554444', '************4242,************4444'],
    ['4242424242424242 5555555555554444', '************4242 ************4444'],
  ])('%s', (text, masked) => {
    expect(maskCardNumbers(text)).toBe(masked);
  });

  it.each([
    ['a number that fails Luhn', '4242424242424241'],
    ['twelve digits', '424242424242'],
    ['a wrong separator', '4242/4242/4242/4242'],
    ['two blanks', '4242  4242  4242  4242'],
    ['an amount', 'charged 99999999 myr'],
    ['an instant', '2026-12-01T22:51:56.123Z'],
    ['a request id', '01993b5e-7d20-7a61-9c0e-2f4b8d1e6a35'],
    ['a UUID that begins like a card number', '42424242-4242-4242-8242-424242424242'],
    ['an empty text', ''],
  ])('leaves %s', (_, text) => {
    expect(maskCardNumbers(text)).toBe(text);
  });

  it('finds a card number inside a longer row of digits', () => {
    const masked = maskCardNumbers('00042424242424242421227');
    expect(masked).toHaveLength(23);
    expect(masked).not.toContain('424242424242424');
  });

  it('hides every card number but its last four, whatever stands around it', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '-', ':', '"', '\n', 'é') });
    fc.assert(
      fc.property(
        cardNumber(),
        fc.constantFrom('', ' ', '-'),
        text,
        text,
        (card, gap, before, after) => {
          const written = card.replace(/(\d{4})(?=\d)/g, `$1${gap}`);
          const masked = maskCardNumbers(`${before}${written}${after}`);
          expect(masked.replace(/[^\d]/g, '')).toBe(card.slice(-4));
          expect(masked).toBe(
            before + written.replace(/\d/g, hideAllButLastFour(card.length)) + after,
          );
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('changes digits only, and no text without 13 of them', () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from('0123456789 -x4')) });
    fc.assert(
      fc.property(text, (original) => {
        const masked = maskCardNumbers(original);
        expect(masked).toHaveLength(original.length);
        expect(masked.replace(/[\d*]/g, '#')).toBe(original.replace(/\d/g, '#'));
        const digits = original.replace(/\D/g, '').length;
        expect(masked === original || digits >= 13).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['4', '4 ', '4-', '4242 ', '42424242424242424242 ', '0123456789ab-', ' ', '--', '://:'])(
    'stays linear for a row of %j',
    (unit) => {
      const before = process.cpuUsage();
      redact(unit.repeat(Math.ceil(200_000 / unit.length)));
      expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
    },
  );
});

describe('maskSecrets', () => {
  const our = 'po_live_Ab3dEFGHIJKLMNOPQRSTUVWXYZ01234567ABCDEF';

  it.each([
    [`Authorization: Bearer ${our}`, 'Authorization: Bearer po_live_Ab3d***'],
    [`["${our}","x"]`, '["po_live_Ab3d***","x"]'],
    ['key=sk_test_4eC39HqLyjWDarjtT1zdp7dc&a=b', 'key=sk_test_***&a=b'],
    ['sk_live_51Habc', 'sk_live_***'],
    ['rk_live_51Habc', 'rk_live_***'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw==', 'whsec_***'],
    ['whsec_payonce_demo', 'whsec_***'],
    ['pi_3abc_secret_Xyz123', 'pi_3abc_secret_***'],
    [
      'no host in postgres://me:se/c:ret@127.0.0.1:5432/db',
      'no host in postgres://me:***@127.0.0.1:5432/db',
    ],
    ['http://:word@host and http://host:80/a', 'http://:***@host and http://host:80/a'],
  ])('%s', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });

  it.each(['po_test_Ab3d', 'pm_card_visa', 'po_staging_Ab3dEFGHIJKL', 'the secret is out'])(
    'leaves %s',
    (text) => {
      expect(maskSecrets(text)).toBe(text);
    },
  );

  it('is applied together with the card numbers', () => {
    expect(redact(`${our} paid 4242424242424242`)).toBe('po_live_Ab3d*** paid ************4242');
  });
});

const DIGITS = Array.from('0123456789');

/** 13 to 19 digits of which the last makes the Luhn sum right. */
function cardNumber(): fc.Arbitrary<string> {
  const digit = fc.constantFrom(...DIGITS);
  return fc.string({ unit: digit, minLength: 12, maxLength: 18 }).map((head) => {
    const check = DIGITS.find((last) => luhnSum(head + last) % 10 === 0);
    return `${head}${check}`;
  });
}

/** The textbook form: every second digit from the right, doubled, its digits added. */
function luhnSum(digits: string): number {
  return Array.from(digits)
    .toReversed()
    .map((digit, index) => (index % 2 === 1 ? String(Number(digit) * 2) : digit))
    .flatMap((part) => Array.from(part, Number))
    .reduce((sum, digit) => sum + digit, 0);
}

function hideAllButLastFour(length: number): (digit: string) => string {
  let index = 0;
  return (digit) => (index++ < length - 4 ? '*' : digit);
}
