import type { HistoryLine, Row, Violation } from './books.js';
import { type Call, isWhole } from './calls.js';
import type { Terms } from './terms.js';
import { type Intent, type World, idOf, violation } from './world.js';

/** What clients heard under a key, against what was heard before and what is saved. */
export function checkAnswers(world: World, { planted = [] }: Terms): Violation[] {
  const mayFail = new Set<unknown>(planted);
  return [
    ...world.intents.flatMap((intent) => [
      ...oneAnswer(world, intent),
      ...oneRequest(world, intent),
      ...nothingElseAfter(world, intent),
    ]),
    ...world.calls.flatMap((call) => statusOf(call, mayFail)),
  ];
}

/** Its key was canceled: final as well, and told to everybody. */
function isCanceled({ heard, told }: Call): boolean {
  return heard?.status === 409 && told?.['code'] === 'idempotency_key_canceled';
}

/** A saved end of the intent; everything else says nothing final about the money. */
function isFinal({ status }: HistoryLine): boolean {
  return status === 200 || status === 201 || status === 402;
}

/** I10 and I12: all final answers of an intent are the saved one, to the byte; a cut one is its beginning. */
function oneAnswer(world: World, intent: Intent): Violation[] {
  const saved = world.savedOf.get(idOf(intent));
  const key = world.keyOf.get(idOf(intent));
  const found: Violation[] = [];
  const says = (invariant: string, words: string, ...rows: object[]) =>
    found.push(violation(invariant, `${intent.key}: ${words}`, ...rows));
  for (const call of intent.calls) {
    const { invoke, heard } = call;
    if (heard === null) continue;
    if (isCanceled(call)) {
      if (key?.['state'] !== 'canceled') says('I12', 'told canceled, and is not', heard);
    } else if (isFinal(heard)) {
      if (key === undefined) says('I12', 'a final answer, and no such key', heard);
      else if (saved === undefined) says('I12', 'a final answer that is not saved', heard, key);
      else if (!isSame(saved, heard))
        says('I10', 'answered otherwise than saved', invoke, heard, saved);
      else if (!isOfClaim(key, heard))
        says('I10', 'a replay that names another request than the first', heard, key);
    }
  }
  return found;
}

function isSame(saved: Row, heard: HistoryLine): boolean {
  const { status, text = '', headers } = heard;
  if (status !== saved['status']) return false;
  const bytes = Buffer.from(String(saved['body']).slice(2), 'hex').toString('utf8');
  if (!(isWhole(heard) ? text === bytes : bytes.startsWith(text.replace(HALF_A_LETTER, ''))))
    return false;
  if (headers === undefined) return true;
  return (
    headers.content_type === saved['content_type'] &&
    (headers.location ?? null) === (saved['location'] ?? null)
  );
}

/** An answer may be cut in the middle of a letter. */
const HALF_A_LETTER = /\ufffd+$/;

function isOfClaim(key: Row, { headers }: HistoryLine): boolean {
  const original = headers?.original_request;
  return original === undefined || original === key['request_id'];
}

/** I11: under a key runs one request that was sent; another body or route hears nothing final, and is refused. */
function oneRequest(world: World, intent: Intent): Violation[] {
  const key = world.keyOf.get(idOf(intent));
  // Canceled before it came, so that nothing ever runs under it.
  if (key === undefined || isBare(key)) return [];
  if (key['fingerprint_version'] !== 1) {
    const says = `${intent.key}: a fingerprint that cannot be read`;
    return [violation('I11', says, key)];
  }
  const found: Violation[] = [];
  let isAsked = false;
  for (const { invoke, heard, fingerprint, told } of intent.calls) {
    const isIt = fingerprint === key['fingerprint'];
    isAsked ||= isIt;
    if (heard === null) continue;
    if (!isIt && isFinal(heard)) {
      const says = `${intent.key}: another request than the claimed one was answered`;
      found.push(violation('I11', says, invoke, heard, key));
    }
    if (isIt && told?.['code'] === 'idempotency_key_reused') {
      const says = `${intent.key}: the claimed request was refused as another`;
      found.push(violation('I11', says, invoke, heard, key));
    }
  }
  if (!isAsked) {
    const says = `${intent.key}: what runs under it was sent by nobody`;
    found.push(violation('I11', says, key, ...intent.calls.map(({ invoke }) => invoke)));
  }
  return found;
}

function isBare(key: Row): boolean {
  return key['state'] === 'canceled' && key['payment_id'] === null;
}

/** Who may be told something else after the end: nothing of the money is said by it. */
const SAYS_NOTHING = new Set([401, 403, 429, 500, 502, 503]);

/** I10: once its end was heard, a request that is sent again hears it again. */
function nothingElseAfter(world: World, intent: Intent): Violation[] {
  const key = world.keyOf.get(idOf(intent));
  if (key === undefined) return [];
  const same = intent.calls.filter(({ fingerprint }) => fingerprint === key['fingerprint']);
  const isEnd = (call: Call) => call.heard !== null && (isFinal(call.heard) || isCanceled(call));
  const ends = same.filter(isEnd);
  const endSeq = Math.min(...ends.map(({ heard }) => heard!.seq));
  const isElse = (call: Call): boolean => {
    const { invoke, heard, told } = call;
    if (heard === null || !isWhole(heard) || invoke.seq < endSeq || isEnd(call)) return false;
    if (SAYS_NOTHING.has(heard.status ?? 0)) return false;
    return told?.['code'] !== 'idempotency_key_expired';
  };
  return same.filter(isElse).map(({ invoke, heard }) => {
    const says = `${intent.key}: answered ${heard!.status} after its end was told`;
    return violation('I10', says, ends[0]!.heard!, invoke, heard!);
  });
}

const TRACE = /\\n\s+at .+:\d+:\d+|\n\s+at .+:\d+:\d+|node_modules|SELECT .+ FROM |INSERT INTO /;

/** I23: no 5xx but 503 with Retry-After, and 500 where an error was planted; nothing of our insides in any answer. */
function statusOf({ invoke, heard, told }: Call, mayFail: ReadonlySet<unknown>): Violation[] {
  if (heard === null) return [];
  const { status = 0, text = '', headers = {} } = heard;
  const found: Violation[] = [];
  const isHonest =
    (status === 503 && headers.retry_after !== undefined) ||
    (status === 500 && mayFail.has(told?.['request_id']));
  if (status >= 500 && !isHonest)
    found.push(violation('I23', `${invoke.method} ${invoke.path} was answered ${status}`, heard));
  if (TRACE.test(text)) found.push(violation('I23', 'an answer shows our insides', heard));
  return found;
}
