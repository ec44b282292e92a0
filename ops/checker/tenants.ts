import type { Row, Violation } from './books.js';
import { internalHashOf } from './keys.js';
import { type World, ownerOf, violation } from './world.js';

/** I20: nothing of one account stands under another, here or at the processor, and nobody hears of it. */
export function checkTenants(world: World): Violation[] {
  return [...rows(world), ...lines(world), ...answers(world)];
}

/** Whose answer stays until its day is over, when the caller's own key has taken the import over and its answer anew. */
function leftBehind({ account_id, processor_key: key }: Row): string {
  return ownerOf({ account_id, key_hash: internalHashOf(String(key)) });
}

const OF_PAYMENTS =
  'order_slots operations idempotency_keys refunds payment_steps authorizations disputes breaks ledger_entries outbox_events unresolved webhook_inbox'.split(
    ' ',
  );

function rows(world: World): Violation[] {
  const strayed = OF_PAYMENTS.flatMap((name) =>
    world.table(name).flatMap((row) => {
      const payment = world.payments.get(String(row['payment_id']));
      if (payment === undefined || payment['account_id'] === row['account_id']) return [];
      return [violation('I20', `${name} has a row of another account's payment`, row, payment)];
    }),
  );
  const attempts = world.table('attempts').filter((row) => {
    const operation = world.operations.get(String(row['operation_id']));
    return operation !== undefined && operation['account_id'] !== row['account_id'];
  });
  const left = new Set(world.table('imported_operations').map(leftBehind));
  const saved = world
    .table('saved_answers')
    .filter((row) => !world.keyOf.has(ownerOf(row)) && !left.has(ownerOf(row)));
  return [
    ...strayed,
    ...attempts.map((row) => violation('I20', "an attempt of another account's operation", row)),
    ...saved.map((row) => violation('I20', 'an answer is saved under a key of nobody', row)),
  ];
}

/** What we sent names the account whose payment it is. */
function lines(world: World): Violation[] {
  return world.table('operations').flatMap((operation) => {
    if (operation['kind'] !== 'charge') return [];
    return world
      .linesOf(String(operation['processor_key']))
      .filter(({ metadata }) => (metadata['payonce_account'] ?? null) !== null)
      .filter(({ metadata }) => metadata['payonce_account'] !== operation['account_id'])
      .map((line) =>
        violation('I20', 'the processor has it under another account', line, operation),
      );
  });
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** An id that an answer tells, and that the client did not say itself, is of its own account. */
function answers(world: World): Violation[] {
  const owners = new Map<string, Row>();
  for (const name of ['payments', 'refunds', 'operations', 'breaks', 'disputes'])
    for (const row of world.table(name)) owners.set(String(row['id']), row);
  const found: Violation[] = [];
  for (const { invoke, heard } of world.calls) {
    for (const [id] of heard?.text?.matchAll(UUID) ?? []) {
      const row = owners.get(id);
      if (row === undefined || row['account_id'] === invoke.account) continue;
      if (invoke.path.includes(id) || invoke.body?.includes(id)) continue;
      const says = `${invoke.account} heard of what belongs to ${String(row['account_id'])}`;
      found.push(violation('I20', says, invoke, heard!, row));
    }
  }
  return found;
}
