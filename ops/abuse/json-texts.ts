import type { Dice } from './dice.js';

/** A JSON text drawn from the grammar: every production of it, spelt in every way that it allows. */
export function randomText(dice: Dice, depth = 4): string {
  const kinds = depth > 0 ? 7 : 5;
  const value = [
    () => dice.pick(['true', 'false', 'null']),
    () => randomNumber(dice),
    () => randomNumber(dice),
    () => randomString(dice),
    () => randomString(dice),
    () => randomArray(dice, depth),
    () => randomObject(dice, depth),
  ][dice.below(kinds)]!;
  return space(dice) + value() + space(dice);
}

/** The same value in another spelling: blanks, escapes and the order of members mean nothing. */
export function respell(value: unknown, dice: Dice): string {
  if (typeof value === 'string') return respellString(value, dice);
  if (Array.isArray(value)) return `[${value.map((item) => respell(item, dice)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) =>
      `${space(dice)}${respellString(name, dice)}${space(dice)}:${space(dice)}${respell(member, dice)}`,
  );
  for (let at = members.length - 1; at > 0; at--) {
    const other = dice.below(at + 1);
    [members[at], members[other]] = [members[other]!, members[at]!];
  }
  return `{${members.join(',')}${space(dice)}}`;
}

/** A text with one wound: bytes gone, doubled, flipped, or strangers among them. */
export function damage(text: Buffer, dice: Dice): Buffer {
  const at = dice.below(text.length + 1);
  const length = dice.below(4);
  const [before, after] = [text.subarray(0, at), text.subarray(Math.min(at + length, text.length))];
  switch (dice.below(5)) {
    case 0:
      return Buffer.concat([before, after]);
    case 1:
      return Buffer.concat([before, text.subarray(at, at + 8), text.subarray(at)]);
    case 2:
      return Buffer.concat([before, Buffer.from([dice.below(256)]), after]);
    case 3:
      return Buffer.concat([before, Buffer.from(dice.pick(STRANGERS), 'latin1'), after]);
    default:
      return before;
  }
}

const STRANGERS = [
  '\x00', '\xff', '\xc0\xaf', '\xed\xa0\x80', '\xf4\x90\x80\x80', '\xef\xbb\xbf', '\\u0000', '\\ud800',
  '"', '\\', '{', '}', '[', ']', ',', ':', '/*', '//', '\n', '\t', '\x0b', '\xc2\xa0', 'NaN', '-', '0', 'e',
  '"__proto__":1,', '"a":1,"a":2,', '[[[[', '1e400', '9007199254740993', "'",
]; // prettier-ignore

function randomNumber(dice: Dice): string {
  const whole = dice.pick(['0', '1', '7', '42', '2500', '99999999', '9007199254740991']);
  const fraction = dice.chance(0.3) ? `.${dice.pick(['0', '5', '00', '25', '125'])}` : '';
  const mark = dice.pick(['e', 'E']);
  const exponent = dice.chance(0.2) ? mark + dice.pick(['0', '2', '+1', '-1', '-3', '00']) : '';
  const odd = dice.chance(0.1) ? dice.pick(ODD_NUMBERS) : null;
  return odd ?? (dice.chance(0.2) ? '-' : '') + whole + fraction + exponent;
}

/** Those that a double cannot keep, and neighbours of them that it can. */
const ODD_NUMBERS = [
  '9007199254740993', '9007199254740992', '1e400', '-1e400', '1e-400', '5e-324', '3e-324', '0.1', '-0',
  '-0.0', '0e99', '2500.00000000000000000001', '123456789012345678', '0.30000000000000004', '1e23',
  '1.7976931348623157e308', '1.7976931348623159e308', '0.1000000000000000055511151231257827',
]; // prettier-ignore

function randomString(dice: Dice): string {
  let text = '';
  for (let left = dice.below(8); left > 0; left--) text += dice.pick(PIECES);
  return `"${text}"`;
}

/** Escaped and bare, lone halves of pairs and whole ones. */
const PIECES = [
  'a', 'Z', '0', ' ', 'é', 'e\u0301', '😀', '\u2028', '\u007f', '/', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t',
  '\\"', '\\\\', '\\u0041', '\\u00e9', '\\ud83d\\ude00', '\\uD83D\\uDE00', '\\ud83d', '\\ude00', '\\u0000',
  '__proto__', '\\u005f_proto__', 'constructor', '$', "'",
]; // prettier-ignore

function randomArray(dice: Dice, depth: number): string {
  const items = Array.from({ length: dice.below(4) }, () => randomText(dice, depth - 1));
  return `[${items.length === 0 ? space(dice) : items.join(',')}]`;
}

function randomObject(dice: Dice, depth: number): string {
  const members = Array.from(
    { length: dice.below(4) },
    () => `${space(dice)}${randomName(dice)}${space(dice)}:${randomText(dice, depth - 1)}`,
  );
  return `{${members.length === 0 ? space(dice) : members.join(',')}}`;
}

/** Few of them, so that one comes twice now and then. */
function randomName(dice: Dice): string {
  return dice.chance(0.7) ? dice.pick(NAMES) : randomString(dice);
}

const NAMES = [
  '"a"',
  '"b"',
  '"c"',
  '"\\u0061"',
  '"amount"',
  '"toString"',
  '"10"',
  '"9"',
  '"__proto__"',
];

function space(dice: Dice): string {
  return dice.chance(0.7) ? '' : dice.pick([' ', '\n', '\t', '\r\n', '  ']);
}

function respellString(text: string, dice: Dice): string {
  const spelt = Array.from(JSON.stringify(text).slice(1, -1)).map((letter, at, all) => {
    const isPlain = /[a-zA-Z0-9 _-]/.test(letter) && !isEscaped(all, at);
    return isPlain && dice.chance(0.1) ? escaped(letter) : letter;
  });
  return `"${spelt.join('')}"`;
}

/** Whether a letter belongs to an escape: within six characters of a backslash, to be sure. */
function isEscaped(letters: string[], at: number): boolean {
  return letters.slice(Math.max(0, at - 6), at).includes('\\');
}

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
