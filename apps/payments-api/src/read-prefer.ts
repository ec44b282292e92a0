/** What a caller would rather have (RFC 7240). Preferences that we do not know are ignored, as it asks. */
export type Preference = { respondAsync: boolean; waitSeconds: number | null };

/** No caller waits longer than this at a stretch; Node's own limits and balancers would end it. */
const WAIT_SECONDS_MAX = 60;

/** A name, perhaps a value (bare or quoted), perhaps parameters, which none of ours has. */
const PREFERENCE = /^\s*([^\s=;"]+)\s*(?:=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;"]*))\s*)?(?:;|$)/;

/** Reads every Prefer header of Node's raw list. The first of two equal preferences counts, the other never. */
export function readPrefer(rawHeaders: readonly string[]): Preference {
  const asked = new Map<string, string>();
  for (const part of preferences(rawHeaders)) {
    const [, name = '', quoted, bare] = PREFERENCE.exec(part) ?? [];
    if (!asked.has(name.toLowerCase())) asked.set(name.toLowerCase(), quoted ?? bare ?? '');
  }
  const wait = asked.get('wait') ?? '';
  return {
    respondAsync: asked.get('respond-async') === '',
    waitSeconds: /^\d+$/.test(wait) ? Math.min(Number(wait), WAIT_SECONDS_MAX) : null,
  };
}

/** The same for routes that are never asynchronous: there it is one more preference that we do not know. */
export function readPatience(rawHeaders: readonly string[]): Preference {
  return { ...readPrefer(rawHeaders), respondAsync: false };
}

/**
 * What was applied, for the Preference-Applied header; null if nothing was. A replay and a refusal are
 * answered at once, so they are no asynchronous answers.
 */
export function appliedPreference(
  { respondAsync, waitSeconds }: Preference,
  status: number,
): string | null {
  if (respondAsync) return status === 202 ? 'respond-async' : null;
  return waitSeconds === null ? null : `wait=${waitSeconds}`;
}

/** The parts between commas; a comma within quotes is none. */
const PART = /(?:[^",]|"(?:\\.|[^"\\])*"?)+/g;

function* preferences(rawHeaders: readonly string[]): Generator<string> {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'prefer')
      yield* (rawHeaders[index + 1] ?? '').match(PART) ?? [];
  }
}
