import type { Row, Violation } from './books.js';
import { derivedKey, internalHashOf } from './keys.js';
import type { Terms } from './terms.js';
import { type Intent, type World, idOf, ownerOf, violation } from './world.js';

/** I9: every operation has one key at the processor, a function of what was asked; and somebody asked for it. */
export function checkKeys(world: World, terms: Terms): Violation[] {
  const intents = new Map(world.intents.map((intent) => [idOf(intent), intent]));
  return [...world.operations.values()].flatMap((operation) => {
    if (isInternal(operation) && world.isImported(operation))
      return ofALostRequest(world, operation, terms);
    if (isInternal(operation))
      return [...derived(operation, wordsOf(world, operation)), ...ofItself(world, operation)];
    const intent = intents.get(ownerOf(operation));
    if (intent !== undefined) return derived(operation, keysOf(world, operation, intent));
    if (!world.isRecorded(operation['account_id'], terms)) return [];
    return [violation('I4', `nobody asked for this ${String(operation['kind'])}`, operation)];
  });
}

/** I4: what an import found was asked for before the restore, by a caller who has not come back yet; or by nobody. */
function ofALostRequest(world: World, operation: Row, terms: Terms): Violation[] {
  const { account_id: account, kind, processor_key: key } = operation;
  if (kind === 'void' || kind === 'capture') return [];
  if (!world.isRecorded(account, terms)) return [];
  const isAsked = world.intents.some(
    (intent) =>
      intent.account === account && derivedKey(intent.account, String(kind), intent.key) === key,
  );
  if (isAsked) return [];
  return [violation('I4', `nobody asked for this ${String(kind)}`, operation)];
}

/** I4: by itself the service gives holds up and records what was captured elsewhere; it gives back late money only. */
function ofItself(world: World, operation: Row): Violation[] {
  if (operation['kind'] === 'void' || operation['kind'] === 'capture') return [];
  const isLate = world
    .of('refunds', String(operation['payment_id']))
    .some(({ operation_id: id, break_id: of }) => id === operation['id'] && of !== null);
  if (operation['kind'] === 'refund' && isLate) return [];
  return [violation('I4', `nobody asked for this ${String(operation['kind'])}`, operation)];
}

function derived(operation: Row, allowed: readonly string[]): Violation[] {
  if (allowed.includes(String(operation['processor_key']))) return [];
  const says = `the processor's key of a ${String(operation['kind'])} is not the derived one`;
  return [violation('I9', says, operation)];
}

/** Of what a caller asked for. A void has one key whoever asks for it. */
function keysOf(world: World, operation: Row, { account, key }: Intent): string[] {
  const kind = String(operation['kind']);
  return kind === 'void' ? wordsOf(world, operation) : [derivedKey(account, kind, key)];
}

/** Of what follows from the payment: its charge's key, the processor's object, and how many ended before. */
function wordsOf(world: World, operation: Row): string[] {
  const { account_id: account, kind, payment_id: payment, target_id: target } = operation;
  const ofPayment = world.of('operations', String(payment));
  const charge = ofPayment.find((row) => row['kind'] === 'charge')?.['processor_key'];
  const words = `${String(charge)} ${String(target)}`;
  if (kind === 'capture') return [derivedKey(String(account), 'capture', words)];
  const before = ofPayment.filter((row) => row['kind'] === kind).map((_, ended) => ended);
  return before.map((ended) => derivedKey(String(account), String(kind), `${words} ${ended}`));
}

function isInternal({ key_hash: hash, processor_key: key }: Row): boolean {
  return hash === internalHashOf(String(key));
}
