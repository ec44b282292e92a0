/**
 * What may not reach a log: card numbers, wherever they came from, and secrets of ours and of the
 * processor. Give it the values of a log line, not the finished JSON, where a masked number without
 * quotes would no longer parse.
 */
export function redact(text: string): string {
  return maskCardNumbers(maskSecrets(text));
}

/**
 * Masks every run of 13 to 19 digits that passes the Luhn check, but for its last four. The digits
 * may stand in groups with one blank or dash between, as people write them; any groups in a row are
 * tried, since an expiry date often follows the number. A row of digits too long for a card is
 * searched for one inside it. A tenth of all long numbers pass Luhn and are masked too: the safe
 * mistake. UUIDs are left alone, or a request could no longer be found by its id.
 */
export function maskCardNumbers(text: string): string {
  return text.replace(UUID_OR_DIGITS, (found, uuid: string | undefined) =>
    uuid === undefined ? maskDigits(found) : found,
  );
}

/** API keys of ours and of Stripe, webhook secrets, client secrets of payment intents, passwords in URLs. */
export function maskSecrets(text: string): string {
  return text
    .replace(OUR_KEYS, '$1***')
    .replace(OTHER_SECRETS, '$1***')
    .replace(URL_PASSWORDS, '$1***@');
}

/** Four characters stay, so that a log tells one key from another; they are its public prefix. */
const OUR_KEYS = /(po_(?:test|live)_[0-9A-Za-z]{4})[0-9A-Za-z]+/g;
const OTHER_SECRETS = /((?:sk|rk)_(?:test|live)_|whsec_|_secret_)[0-9A-Za-z_+/=-]+/g;

/** Bounded, so that a row of beginnings without an end is not searched over and over. */
const URL_PASSWORDS = /(:\/\/[^\s:/@]{0,100}:)[^\s@]{1,200}@/g;

const UUID_OR_DIGITS =
  /\b([0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\b|\d(?:[ -]?\d){12,}/gi;

const CARD_DIGITS_MIN = 13;
const CARD_DIGITS_MAX = 19;
const KEPT_DIGITS = 4;

type Group = { start: number; end: number };

function maskDigits(run: string): string {
  const digits = run.replace(/[ -]/g, '');
  const hidden = new Uint8Array(digits.length);
  const groups = groupsOf(run);
  for (const { start, end } of candidates(groups)) {
    if (passesLuhn(digits, start, end)) hidden.fill(1, start, end - KEPT_DIGITS);
  }
  let index = 0;
  return run.replace(/\d/g, (digit) => (hidden[index++] === 1 ? '*' : digit));
}

/** Where the groups of a run begin and end, counted in digits. */
function groupsOf(run: string): Group[] {
  let start = 0;
  return run.split(/[ -]/).map((group) => {
    const end = start + group.length;
    const found = { start, end };
    start = end;
    return found;
  });
}

/** Each row of whole groups with as many digits as a card; inside a longer group, each such part of it. */
function* candidates(groups: Group[]): Generator<Group> {
  for (const [index, first] of groups.entries()) {
    if (first.end - first.start > CARD_DIGITS_MAX) yield* partsOf(first);
    for (let last = index; last < groups.length; last += 1) {
      const end = groups[last]?.end ?? 0;
      if (end - first.start > CARD_DIGITS_MAX) break;
      if (end - first.start >= CARD_DIGITS_MIN) yield { start: first.start, end };
    }
  }
}

function* partsOf(group: Group): Generator<Group> {
  for (let start = group.start; start + CARD_DIGITS_MIN <= group.end; start += 1) {
    for (let length = CARD_DIGITS_MIN; length <= CARD_DIGITS_MAX; length += 1) {
      if (start + length <= group.end) yield { start, end: start + length };
    }
  }
}

function passesLuhn(digits: string, start: number, end: number): boolean {
  let sum = 0;
  for (let index = end - 1; index >= start; index -= 1) {
    const digit = digits.charCodeAt(index) - 0x30;
    const doubled = (end - index) % 2 === 0 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
