import { invalid } from './errors.js';
import { metadataIndexKey, type Intent, type State } from './state.js';
import { seconds } from './wire.js';

/** One condition of a query, such as `metadata['a']:'b'`, `status:'succeeded'` or `amount>100`. */
type Clause = { negated: boolean; field: string; name: string | null; sign: string; value: string };

const CLAUSES_MAX = 10;
const FIELDS = ['amount', 'created', 'currency', 'metadata', 'status'];
const CLAUSE =
  /\s*(-?)([a-z_]+)(?:\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\])?(:|~|>=|<=|>|<)(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\d{1,15}))(?=\s|$)/y;
const JOINER = /\s+(AND|OR)\s+/iy;

/** Stripe's search language over intents, newest first. Unlike there, a write is seen at once. */
export function searchIntents(state: State, query: string): Intent[] {
  const { clauses, any } = parse(query);
  const tests = clauses.map(testOf);
  const matches = (intent: Intent) =>
    any ? tests.some((test) => test(intent)) : tests.every((test) => test(intent));
  const found: Intent[] = [];
  for (const id of candidates(state, clauses, any).toReversed()) {
    const intent = state.find('payment_intent', id);
    if (intent && matches(intent)) found.push(intent);
  }
  return found;
}

/** A condition on metadata that every result must meet makes the search a look-up. */
function candidates(state: State, clauses: Clause[], any: boolean): readonly string[] {
  const exact = clauses.find(
    ({ negated, name, sign }) => !negated && name !== null && sign === ':',
  );
  if (!exact || exact.name === null || (any && clauses.length > 1)) {
    return state.order.payment_intent;
  }
  return state.intentsByMetadata.get(metadataIndexKey(exact.name, exact.value)) ?? [];
}

function parse(query: string): { clauses: Clause[]; any: boolean } {
  const clauses: Clause[] = [];
  const joiners = new Set<string>();
  const text = query.trim();
  for (let at = 0; ;) {
    CLAUSE.lastIndex = at;
    const match = CLAUSE.exec(text);
    if (!match || clauses.length === CLAUSES_MAX) throw unreadable(query);
    const [, minus, field = '', single, double, sign = ':', quoted, quoted2, digits] = match;
    const name = single ?? double;
    if (!FIELDS.includes(field) || (field === 'metadata') !== (name !== undefined)) {
      throw invalid(`Field \`${field}\` is an unsupported search field.`, 'query');
    }
    clauses.push({
      negated: minus === '-',
      field,
      name: name === undefined ? null : unescape(name),
      sign,
      value: digits ?? unescape(quoted ?? quoted2 ?? ''),
    });
    at = CLAUSE.lastIndex;
    if (at === text.length) break;
    JOINER.lastIndex = at;
    const joiner = JOINER.exec(text)?.[1];
    if (joiner === undefined) throw unreadable(query);
    joiners.add(joiner.toUpperCase());
    at = JOINER.lastIndex;
  }
  if (joiners.size > 1) throw invalid('AND and OR cannot be mixed in one query.', 'query');
  return { clauses, any: joiners.has('OR') };
}

function testOf({ negated, field, name, sign, value }: Clause): (intent: Intent) => boolean {
  const actual = (intent: Intent): string | number | null => {
    if (field === 'metadata' && name !== null) {
      return Object.hasOwn(intent.metadata, name) ? (intent.metadata[name] ?? null) : null;
    }
    if (field === 'amount') return intent.amount;
    if (field === 'created') return seconds(intent.createdMs);
    if (field === 'currency') return intent.currency;
    if (field === 'status') return intent.status;
    return null;
  };
  return (intent) => compare(actual(intent), sign, value) !== negated;
}

function compare(actual: string | number | null, sign: string, value: string): boolean {
  if (actual === null) return false;
  if (typeof actual === 'number') {
    const limit = Number(value);
    if (sign === '>') return actual > limit;
    if (sign === '>=') return actual >= limit;
    if (sign === '<') return actual < limit;
    if (sign === '<=') return actual <= limit;
    return actual === limit;
  }
  if (sign === '~') return actual.toLowerCase().includes(value.toLowerCase());
  return sign === ':' && actual === value;
}

function unescape(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}

function unreadable(query: string) {
  return invalid(`We were unable to parse your search query: ${query.slice(0, 200)}`, 'query');
}
