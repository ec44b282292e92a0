/** `Retry-After` in either of its two forms, as whole seconds; null for anything else. */
export function parseRetryAfter(value: string | undefined, nowWallMs: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text), RETRY_AFTER_SECONDS_MAX);
  if (!HTTP_DATE.test(text)) return null;
  const seconds = Math.ceil((Date.parse(text) - nowWallMs) / 1000);
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), RETRY_AFTER_SECONDS_MAX);
}

/** A processor that asks for a week is misconfigured, or lies; an hour is asked about again. */
export const RETRY_AFTER_SECONDS_MAX = 3600;

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
