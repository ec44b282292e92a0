/** A body that is an object, its numbers as they were spelled; null for anything else, also for one that was cut. */
export function objectOf(text: string | null | undefined): Record<string, unknown> | null {
  const value = parsed((text ?? '').replace(TOKENS, keepSpelling));
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : null;
}

/** How a number of such an object was spelled; null for what is no number. */
export function digitsOf(value: unknown): string | null {
  return typeof value === 'string' && value.startsWith(MARK) ? value.slice(1) : null;
}

/** As RFC 8785 writes it; null for what is not JSON. */
export function canonicalText(text: string): string | null {
  const value = parsed(text);
  return value === undefined ? null : canonical(value);
}

export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, of]) => `${JSON.stringify(name)}:${canonical(of)}`).join(',')}}`;
}

/** No string that the service takes or tells can hold it. */
const MARK = '\u0000';
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

function keepSpelling(token: string): string {
  return token.startsWith('"') ? token : `"\\u0000${token}"`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
