/** What a caller would rather have (RFC 7240). Preferences that we do not know are ignored, as it asks. */
export type Preference = { respondAsync: boolean; waitSeconds: number | null };

/** No caller waits longer than this at a stretch; Node's own limits and balancers would end it. */
const WAIT_SECONDS_MAX = 60;

/** Reads every Prefer header of Node's raw list. The first of two equal preferences counts. */
export function readPrefer(rawHeaders: readonly string[]): Preference {
  const preference: Preference = { respondAsync: false, waitSeconds: null };
  for (const part of preferences(rawHeaders)) {
    const [name, value] = part.split(';', 1)[0]?.split('=') ?? [];
    if (name?.trim().toLowerCase() === 'respond-async') preference.respondAsync = true;
    if (name?.trim().toLowerCase() !== 'wait' || preference.waitSeconds !== null) continue;
    const seconds = /^\s*"?(\d{1,9})"?\s*$/.exec(value ?? '')?.[1];
    if (seconds !== undefined) preference.waitSeconds = Math.min(Number(seconds), WAIT_SECONDS_MAX);
  }
  return preference;
}

/** What was applied, for the Preference-Applied header; null if nothing was. */
export function appliedPreference({ respondAsync, waitSeconds }: Preference): string | null {
  if (respondAsync) return 'respond-async';
  return waitSeconds === null ? null : `wait=${waitSeconds}`;
}

function* preferences(rawHeaders: readonly string[]): Generator<string> {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'prefer')
      yield* (rawHeaders[index + 1] ?? '').split(',');
  }
}
