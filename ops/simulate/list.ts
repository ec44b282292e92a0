import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../command.js';
import type { Plan } from './plan.js';

/** A schedule that can be repeated anywhere: who wants what, and every choice that was made. */
export type SavedList = {
  /** What it showed when it was saved; null for one that has to hold. */
  invariants: string[];
  /** What had been wrong, in words. */
  about: string;
  plan: Plan;
  /** Small numbers; when they have ended, everything goes well. */
  choices: number[];
};

export function readList(file: string): SavedList {
  const text = readFileSync(file, 'utf8');
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON`);
  }
  if (!isList(list)) throw new UsageError(`${file} is no saved list: it needs a plan and choices`);
  return list;
}

function isList(value: unknown): value is SavedList {
  const { plan, choices } = (value ?? {}) as Partial<SavedList>;
  return (
    typeof plan?.seed === 'string' &&
    Array.isArray(plan.clients) &&
    Array.isArray(choices) &&
    choices.every((choice) => Number.isInteger(choice) && choice >= 0)
  );
}

export function writeList(file: string, list: SavedList): void {
  mkdirSync(dirname(file), { recursive: true });
  const { choices, ...rest } = list;
  const text = JSON.stringify({ ...rest, choices: [] }, null, 2);
  const oneLine = JSON.stringify(choices).replaceAll(',', ', ');
  writeFileSync(file, `${text.replace('"choices": []', `"choices": ${oneLine}`)}\n`);
}
