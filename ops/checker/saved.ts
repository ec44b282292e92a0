import type { Row, Violation } from './books.js';
import { objectOf } from './json.js';
import { type Told, recorded, rowOf, thingsIn } from './things.js';
import { type World, ownerOf, violation } from './world.js';

/** What is saved to be told, and what events will tell: of the right payment, and as it is recorded. */
export function checkSaved(world: World): Violation[] {
  return [
    ...[...world.savedOf.values()].flatMap((saved) => answer(world, saved)),
    ...world.table('outbox_events').flatMap((event) => news(world, event)),
  ];
}

/** An answer that nobody has heard yet is checked as one that was: the next retry hears it. */
function answer(world: World, saved: Row): Violation[] {
  const key = world.keyOf.get(ownerOf(saved));
  if (key === undefined) return [];
  const bytes = Buffer.from(String(saved['body']).slice(2), 'hex').toString('utf8');
  const things = thingsIn(objectOf(bytes));
  const found = things.flatMap((told) => recorded(world, told, rowOf(world, told), [saved, key]));
  if (things.length > 0 && things.every((told) => isOf(world, key, told))) return found;
  return [
    ...found,
    violation('I10', 'what is saved under a key tells of something else', saved, key),
  ];
}

function isOf(world: World, key: Row, told: Told): boolean {
  if (told['object'] === 'payment') return told['id'] === key['payment_id'];
  const refund = world.refunds.get(String(told['id']));
  return (
    told['payment_id'] === key['payment_id'] && refund?.['operation_id'] === key['operation_id']
  );
}

/** I3: an event tells of its own payment, or of what hangs from it, to the cent. */
function news(world: World, event: Row): Violation[] {
  const payload = objectOf(JSON.stringify(event['payload'])) ?? {};
  const { object } = payload;
  const payment = event['payment_id'];
  const id = object === 'payment' ? payload['id'] : payload['payment_id'];
  if (id !== payment) return [violation('I3', 'an event tells of another payment', event)];
  if (object === 'dispute') return [];
  return recorded(world, payload, rowOf(world, payload), [event]);
}
