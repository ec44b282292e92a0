import type { Row, Violation } from './books.js';
import { type World, groupBy, ownerOf, violation } from './world.js';

/** What is final names its evidence, and attempts of one operation never prove two ends. */
export function checkEvidence(world: World): Violation[] {
  const news = new Set(
    world
      .table('webhook_inbox')
      .filter(({ state }) => state === 'applied')
      .map(({ payment_id: payment }) => String(payment)),
  );
  const acts = groupBy(world.table('audit_log'), ({ target }) => String(target));
  return [...world.operations.values()].flatMap((operation) => {
    const attempts = world.attemptsOf(String(operation['id']));
    const isTold =
      news.has(String(operation['payment_id'])) || acts.has(`operation:${String(operation['id'])}`);
    return [
      ...oneEnd(world, operation, attempts),
      ...proved(world, operation, attempts, isTold),
      ...neverBegun(world, operation, attempts),
    ];
  });
}

const ENDS = ['succeeded', 'authorized', 'accepted', 'declined', 'not_charged'];

function endsOf(attempts: readonly Row[]): string[] {
  return [...new Set(attempts.map(({ outcome }) => String(outcome)).filter(isEnd))];
}

const isEnd = (outcome: string): boolean => ENDS.includes(outcome);

/**
 * I13: an owner that was slow writes nothing over what its successor recorded: one end an operation, and it is the
 * one that is recorded.
 */
function oneEnd(world: World, operation: Row, attempts: readonly Row[]): Violation[] {
  const ends = endsOf(attempts);
  if (ends.length > 1)
    return [
      violation('I13', `one operation ended as ${ends.join(' and ')}`, operation, ...attempts),
    ];
  const key = world.keyOf.get(ownerOf(operation));
  if (ends.length === 1 && key?.['state'] !== 'finished') {
    const says = `an attempt ended as ${ends[0]}, its key is ${String(key?.['state'])}`;
    return [violation('I13', says, operation, ...attempts, ...(key ? [key] : []))];
  }
  const saved = world.savedOf.get(ownerOf(operation));
  if (ends.length === 0 || saved === undefined) return [];
  const isFailure = ends[0] === 'declined' || ends[0] === 'not_charged';
  if (isFailure === (saved['status'] === 402)) return [];
  const says = `an attempt ended as ${ends[0]}, and ${String(saved['status'])} was saved`;
  return [violation('I13', says, operation, ...attempts, saved)];
}

/** I15 and I2: a failure is proved by an answer, by news, by a person, or by nothing ever having been sent. */
function proved(
  world: World,
  operation: Row,
  attempts: readonly Row[],
  isTold: boolean,
): Violation[] {
  const saved = world.savedOf.get(ownerOf(operation));
  if (saved?.['status'] !== 402 || isTold) return [];
  const isProved =
    endsOf(attempts).length > 0 || attempts.every(({ outcome }) => outcome === 'not_sent');
  if (isProved) return [];
  const says = `a ${String(operation['kind'])} is said to have failed, and nothing proves it`;
  return [violation('I15', says, operation, ...attempts, saved)];
}

/** I15: released, queued and canceled work was never sent: no attempt of it is open or unknown. */
function neverBegun(world: World, operation: Row, attempts: readonly Row[]): Violation[] {
  const key = world.keyOf.get(ownerOf(operation));
  if (!['released', 'queued', 'canceled'].includes(String(key?.['state']))) return [];
  if (attempts.every(({ outcome }) => outcome === 'not_sent')) return [];
  const says = `a key is ${String(key?.['state'])}, and something of it may have been sent`;
  return [violation('I15', says, operation, ...attempts)];
}
