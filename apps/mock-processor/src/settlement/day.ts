/** The days of the reports are those of UTC. Their names are their dates: `2026-01-31`. */
export const DAY_MS = 24 * 3_600_000;

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function startOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** The cut-off: the first instant that belongs to the next day. */
export function endOf(date: string): number {
  return startOf(date) + DAY_MS;
}

export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const ms = startOf(text);
  return !Number.isNaN(ms) && dayOf(ms) === text;
}
