import { ControlRefusal } from '../control-body.js';
import { nowMs, type World } from '../world.js';
import { dayOf, isDate } from './day.js';

/** A day that has begun by the clock of the mock. */
export function asDay(world: World, date: string | null | undefined): string {
  if (typeof date !== 'string' || !isDate(date)) {
    throw new ControlRefusal('date', 'date is a day such as 2026-01-31.');
  }
  if (date <= dayOf(nowMs(world))) return date;
  throw new ControlRefusal('date', `date: ${date} has not begun by the clock of the mock.`);
}

/** Each of these names at most once, and nothing else. */
export function readQuery(query: unknown, names: string[]): Record<string, string | undefined> {
  const values = query as Record<string, string | string[]>;
  for (const [name, value] of Object.entries(values)) {
    const shown = name.slice(0, 80);
    if (!names.includes(name)) {
      throw new ControlRefusal(shown, `${shown} is unknown; known are ${names.join(', ')}.`);
    }
    if (Array.isArray(value)) throw new ControlRefusal(name, `${name} is given once.`);
  }
  return values as Record<string, string>;
}
