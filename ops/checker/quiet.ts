import type { Row, Violation } from './books.js';
import { type World, ownerOf, violation } from './world.js';

/** L1 and L5: once all is quiet every intent has its end, and nothing is left to do. */
export function checkQuiet(world: World): Violation[] {
  // A person looks after those in review; those that were released wait for their caller, until their key's end.
  const waiting = new Set([
    ...world
      .table('unresolved')
      .filter(({ review_at: at }) => at !== null)
      .map(ownerOf),
    ...[...world.keyOf.values()].filter(({ state }) => state === 'released').map(ownerOf),
  ]);
  const keys = [...world.keyOf.values()].filter(
    (key) => ['started', 'queued'].includes(String(key['state'])) && !waiting.has(ownerOf(key)),
  );
  return [
    ...keys.map((key) => violation('L1', `a key is still ${String(key['state'])}`, key)),
    ...left(
      world,
      'unresolved',
      (row) => !waiting.has(ownerOf(row)) && !waitsForItsCaller(world, row),
    ),
    ...left(world, 'webhook_inbox', ({ state }) => state === 'received'),
    ...left(world, 'payment_steps', (row) => !isHeld(world, row)),
    ...world
      .table('webhook_inbox')
      .filter(({ state }) => state === 'set_aside')
      .map((row) => violation('I14', 'an event could not be applied', row)),
  ];
}

function left(world: World, name: string, isLeft: (row: Row) => boolean): Violation[] {
  return world
    .table(name)
    .filter(isLeft)
    .map((row) => violation('L5', `${name} is not empty`, row));
}

/** What was never sent is its caller's to send, for as long as its key is kept. */
function waitsForItsCaller(world: World, row: Row): boolean {
  return world.keyOf.get(ownerOf(row))?.['state'] === 'released';
}

/** A step that was never sent waits for its caller. */
function isHeld(world: World, step: Row): boolean {
  const operation = world.operations.get(String(step['operation_id']));
  const key = operation && world.keyOf.get(ownerOf(operation));
  return key?.['state'] === 'released' || key?.['state'] === 'started';
}
