import type { Violation } from './books.js';
import type { Terms } from './terms.js';
import { type World, violation } from './world.js';

/** I21: no planted secret stands in an answer, a row (saved bytes are read as text) or a line of the processor's. */
export function checkSecrets({ books }: World, { canaries = [] }: Terms): Violation[] {
  if (canaries.length === 0) return [];
  const heard = books.history.filter(({ type }) => type !== 'invoke');
  const rows = Object.entries(books.database).flatMap(([name, all]) =>
    all.map((row) => [`table ${name}`, row] as const),
  );
  const places: (readonly [string, object])[] = [
    ...heard.map((line) => [`answer to ${line.method} ${line.path}`, line] as const),
    ...rows,
    ...books.processor.map((line) => [`line ${line.id} of the processor`, line] as const),
  ];
  return places.flatMap(([place, item]) => {
    const text = textOf(item);
    return canaries
      .filter((canary) => text.includes(canary))
      .map((canary) => violation('I21', `a secret stands in ${place}: ${canary}`, item));
  });
}

/** What a client sent is beside its answer in H, and no part of it. */
function textOf(item: object): string {
  const { body, ...others } = item as { body?: unknown };
  const sent = 'call' in item ? null : body;
  return `${JSON.stringify(others, readBytes)}${JSON.stringify(sent ?? null, readBytes)}`;
}

function readBytes(_: string, value: unknown): unknown {
  if (typeof value !== 'string' || !/^\\x([0-9a-f]{2})+$/.test(value)) return value;
  return Buffer.from(value.slice(2), 'hex').toString('utf8');
}
