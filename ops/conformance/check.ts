import type { Bench } from './bench.js';

/** One thing that a service must do. It ends, or throws `Red` or `NotApplicable`. */
export type Check = {
  id: string;
  title: string;
  /** Where it is asked for, so that a reader can weigh it. */
  source: Source;
  run: (bench: Bench) => Promise<void>;
};
export type Phase = {
  name: string;
  checks: Check[];
  /** They mostly wait, and do not disturb each other: all at once. */
  together?: true;
};

export type Source = keyof typeof SOURCES;
export const SOURCES = {
  draft: 'draft-ietf-httpapi-idempotency-key-header-07',
  http: 'RFC 9110',
  json: 'RFC 8785 (what two JSON texts have in common) and RFC 7493 (I-JSON)',
  once: 'what a key is for: one intent, one effect',
  practice: 'what careful payment APIs do, or what breaks clients where it is missing',
} as const;

/** The service does not do it. `says` tells what was seen. */
export class Red extends Error {}
/** The adapter cannot show it. */
export class NotApplicable extends Error {}
