import { isDeepStrictEqual } from 'node:util';
import type { HistoryLine, Row, Violation } from './books.js';
import { type Call, type Intent, type World, groupBy, idOf, objectOf, violation } from './world.js';

/** What clients heard, against itself and against what is saved. */
export function checkAnswers(world: World): Violation[] {
  return [
    ...world.intents.flatMap((intent) => oneAnswer(world, intent)),
    ...world.intents.flatMap(oneRequest),
    ...world.calls.flatMap(({ invoke, heard }) => (heard ? statusOf(invoke, heard) : [])),
    ...accountsApart(world),
  ];
}

/** An end of the intent; everything else says nothing final about the money. */
export function isFinal({ status, text }: HistoryLine): boolean {
  if (status === 200 || status === 201 || status === 402) return true;
  return status === 409 && objectOf(text)?.['code'] === 'idempotency_key_canceled';
}

/** I10 and I12: all final answers of an intent are the saved one, to the byte; a cut one is its beginning. */
function oneAnswer(world: World, intent: Intent): Violation[] {
  const saved = world.savedOf.get(idOf(intent));
  const key = world.keyOf.get(idOf(intent));
  const found: Violation[] = [];
  for (const { invoke, heard } of intent.calls) {
    if (heard === null || !isFinal(heard) || heard.status === 409) continue;
    if (key === undefined) {
      found.push(violation('I12', `a final answer to ${intent.key}, and no such key`, heard));
    } else if (saved === undefined) {
      if (key['state'] !== 'canceled')
        found.push(
          violation('I12', `a final answer to ${intent.key} that is not saved`, heard, key),
        );
    } else if (!isSame(saved, heard)) {
      const says = `${intent.key} was answered with other bytes than are saved`;
      found.push(violation('I10', says, invoke, heard, saved));
    }
  }
  return found;
}

function isSame(
  saved: Row,
  { status, text = '', whole = true, headers = {} }: HistoryLine,
): boolean {
  if (status !== saved['status']) return false;
  const bytes = Buffer.from(String(saved['body']).slice(2), 'hex').toString('utf8');
  if (!(whole ? text === bytes : bytes.startsWith(text))) return false;
  const { content_type: type, location } = headers;
  return (
    (type === undefined || type === saved['content_type']) &&
    (location ?? null) === (saved['location'] ?? null)
  );
}

/** I11: one request alone is answered under a key; another body or route never is. */
function oneRequest(intent: Intent): Violation[] {
  const [first, ...others] = intent.calls.filter(
    ({ heard }) => heard !== null && isFinal(heard) && heard.status !== 409,
  );
  if (first === undefined) return [];
  return others
    .filter((other) => !isSameRequest(first, other))
    .map((other) =>
      violation(
        'I11',
        `two requests were answered under ${intent.key}`,
        first.invoke,
        other.invoke,
      ),
    );
}

function isSameRequest({ invoke: one }: Call, { invoke: other }: Call): boolean {
  if (one.method !== other.method || one.path !== other.path) return false;
  if (one.body === other.body) return true;
  return isDeepStrictEqual(objectOf(one.body || '{}'), objectOf(other.body || '{}'));
}

const TRACE = /\n\s+at .+:\d+:\d+|node_modules|SELECT .+ FROM |INSERT INTO /;

/** I23: no 5xx but 503 with Retry-After, and nothing of our insides in any answer. */
function statusOf(invoke: HistoryLine, heard: HistoryLine): Violation[] {
  const { status = 0, text = '', headers = {} } = heard;
  const found: Violation[] = [];
  if (status >= 500 && !(status === 503 && headers.retry_after !== undefined))
    found.push(violation('I23', `${invoke.method} ${invoke.path} was answered ${status}`, heard));
  if (TRACE.test(text)) found.push(violation('I23', 'an answer shows our insides', heard));
  return found;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** I20: no account hears of another one's payment. */
function accountsApart(world: World): Violation[] {
  const found: Violation[] = [];
  const byAccount = groupBy(world.calls, ({ invoke }) => invoke.account);
  if (byAccount.size < 2) return [];
  for (const { invoke, heard } of world.calls) {
    for (const [id] of heard?.text?.matchAll(UUID) ?? []) {
      const payment = world.payments.get(id);
      if (payment === undefined || payment['account_id'] === invoke.account) continue;
      if (invoke.path.includes(id)) continue; // it said the id itself
      const says = `${invoke.account} heard of a payment of ${String(payment['account_id'])}`;
      found.push(violation('I20', says, invoke, heard!, payment));
    }
  }
  return found;
}
