import { invalid, missing } from './errors.js';
import { checkExpand, expanded } from './expand.js';
import { Params } from './params.js';
import { searchIntents } from './search.js';
import type { Call } from './answer.js';
import type { Dispute, Kind, RecordedEvent, Refund, State, Thing } from './state.js';
import { seconds, transactionType, type Wire, wireEvent } from './wire.js';
import { nowMs, type World } from './world.js';

/** One GET of the API. */
export type Reading = { path: string; read(world: World, call: Call): Wire | List };
export type List = { object: 'list' | 'search_result'; [member: string]: unknown };

const PAGE = ['limit', 'starting_after', 'ending_before', 'created'];

const ACCOUNT_ID = 'acct_payoncemock';

export const READINGS: Reading[] = [
  search(),
  ...thingReadings('payment_intent', '/v1/payment_intents', ['customer'], () => () => true),
  ...thingReadings('charge', '/v1/charges', ['payment_intent'], (params) => {
    const intentId = params.string('payment_intent');
    return (charge) => intentId === null || charge.intentId === intentId;
  }),
  ...thingReadings('refund', '/v1/refunds', ['payment_intent', 'charge'], ofPayment),
  ...thingReadings('dispute', '/v1/disputes', ['payment_intent', 'charge'], ofPayment),
  ...thingReadings(
    'balance_transaction',
    '/v1/balance_transactions',
    ['source', 'type', 'currency'],
    (params) => {
      const [source, type, currency] = ['source', 'type', 'currency'].map((name) =>
        params.string(name),
      );
      return (transaction) =>
        (source === null || transaction.sourceId === source) &&
        (type === null || transactionType(transaction) === type) &&
        (currency === null || transaction.currency === currency);
    },
  ),
  // A client asks whose money it moves: keys mean nothing at another account.
  {
    path: '/v1/account',
    read: () => ({ id: ACCOUNT_ID, object: 'account', country: 'US', type: 'standard' }),
  },
  { path: '/v1/events', read: listEvents },
  {
    path: '/v1/events/:id',
    read({ book: { state } }, { id }) {
      const event = state.event(id);
      if (!event) throw missing('event', id.slice(0, 80));
      return shownEvent(state, event);
    },
  },
];

/** Under `not_found_window` a new object is not found for a while, however it is asked for. */
export function isVisible(world: World, createdMs: number): boolean {
  const { mode, windowMs } = world.faults.settings;
  return mode !== 'not_found_window' || nowMs(world) - createdMs >= windowMs;
}

/** What belongs to one payment, by its intent or its charge. */
function ofPayment(params: Params): (thing: Refund | Dispute) => boolean {
  const intentId = params.string('payment_intent');
  const chargeId = params.string('charge');
  return (thing) =>
    (intentId === null || thing.intentId === intentId) &&
    (chargeId === null || thing.chargeId === chargeId);
}

function thingReadings<K extends Kind>(
  kind: K,
  path: string,
  filters: string[],
  filter: (params: Params) => (thing: Extract<Thing, { object: K }>) => boolean,
): Reading[] {
  return [
    {
      path,
      read(world, call) {
        const params = new Params(call.form);
        params.allow([...PAGE, ...filters]);
        const paths = params.expand();
        checkExpand(kind, paths, true);
        const matches = filter(params);
        const inRange = params.range('created');
        const { state } = world.book;
        const ids = state.order[kind];
        const { page, hasMore } = pageOf(params, ids.length, positionOf, (position) => {
          const thing = state.find(kind, ids[position] ?? '');
          const shown = thing && isVisible(world, thing.createdMs) && matches(thing);
          return shown && inRange(seconds(thing.createdMs)) ? thing : null;
        });
        const data = page.map((thing) => expanded(thing, withoutData(paths), finder(world)));
        return { object: 'list', data, has_more: hasMore, url: path };

        function positionOf(id: string): number | null {
          return state.find(kind, id) ? (state.things.get(id)?.position ?? null) : null;
        }
      },
    },
    {
      path: `${path}/:id`,
      read(world, { id, form }) {
        const params = new Params(form);
        params.allow(['client_secret']);
        const paths = params.expand();
        checkExpand(kind, paths);
        const thing = world.book.state.find(kind, id);
        if (!thing || !isVisible(world, thing.createdMs)) {
          throw missing(kind, id.slice(0, 80), kind === 'payment_intent' ? 'intent' : 'id');
        }
        return expanded(thing, paths, finder(world));
      },
    },
  ];
}

function search(): Reading {
  return {
    path: '/v1/payment_intents/search',
    read(world, call) {
      const params = new Params(call.form);
      params.allow(['query', 'limit', 'page']);
      const paths = params.expand();
      checkExpand('payment_intent', paths, true);
      const query = params.required('query', params.string('query'));
      const limit = params.integer('limit', { min: 1, max: 100 }) ?? 10;
      const from = Number(/^page_(\d{1,9})$/.exec(params.string('page') ?? 'page_0')?.[1] ?? NaN);
      if (Number.isNaN(from)) throw invalid('Invalid page.', 'page');
      const found = searchIntents(world.book.state, query).filter((intent) =>
        isVisible(world, intent.createdMs),
      );
      const page = found.slice(from, from + limit);
      const hasMore = found.length > from + limit;
      return {
        object: 'search_result',
        data: page.map((intent) => expanded(intent, withoutData(paths), finder(world))),
        has_more: hasMore,
        next_page: hasMore ? `page_${from + limit}` : null,
        url: '/v1/payment_intents/search',
      };
    },
  };
}

function listEvents(world: World, call: Call): List {
  const params = new Params(call.form);
  params.allow([...PAGE, 'type', 'types', 'delivery_success']);
  const { state } = world.book;
  const { events, eventPositions, owed } = state;
  const type = params.string('type');
  const types = params.list('types');
  const arrived =
    params.string('delivery_success') === null ? null : params.boolean('delivery_success');
  const inRange = params.range('created');
  const matches = (event: RecordedEvent) =>
    (type === null || typeMatches(event.type, type)) &&
    (types.length === 0 || types.some((wanted) => typeMatches(event.type, wanted))) &&
    (arrived === null || owed.unheard.has(event.id) !== arrived) &&
    inRange(seconds(event.createdMs));
  const positionOf = (id: string) => eventPositions.get(id) ?? null;
  const { page, hasMore } = pageOf(params, events.length, positionOf, (position) => {
    const event = events[position];
    return event && isVisible(world, event.createdMs) && matches(event) ? event : null;
  });
  const data = page.map((event) => shownEvent(state, event));
  return { object: 'list', data, has_more: hasMore, url: '/v1/events' };
}

function shownEvent({ owed }: State, event: RecordedEvent): Wire {
  return wireEvent(event, owed.copies.has(event.id) ? 1 : 0);
}

/** `payment_intent.*` stands for every type of that object. */
function typeMatches(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}

/** Newest first, as Stripe lists: `starting_after` goes on towards older ones, `ending_before` back. */
function pageOf<Item>(
  params: Params,
  count: number,
  positionOf: (id: string) => number | null,
  at: (position: number) => Item | null,
): { page: Item[]; hasMore: boolean } {
  const limit = params.integer('limit', { min: 1, max: 100 }) ?? 10;
  const after = params.string('starting_after');
  const before = params.string('ending_before');
  if (after !== null && before !== null) {
    throw invalid('Only one of starting_after and ending_before can be given.', 'ending_before');
  }
  const cursor = after ?? before;
  const start = cursor === null ? count : positionOf(cursor);
  if (start === null) {
    throw invalid(
      `No such object: '${cursor?.slice(0, 80)}'`,
      after === null ? 'ending_before' : 'starting_after',
      'resource_missing',
    );
  }
  const step = before === null ? -1 : 1;
  const page: Item[] = [];
  for (let position = start + step; position >= 0 && position < count; position += step) {
    const item = at(position);
    if (item === null) continue;
    if (page.length === limit) return { page: inOrder(page, step), hasMore: true };
    page.push(item);
  }
  return { page: inOrder(page, step), hasMore: false };
}

function inOrder<Item>(page: Item[], step: number): Item[] {
  return step === 1 ? page.reverse() : page;
}

function withoutData(paths: string[]): string[] {
  return paths.map((path) => path.replace(/^data\./, ''));
}

function finder(world: World) {
  return (id: string) => world.book.state.things.get(id)?.thing ?? null;
}
