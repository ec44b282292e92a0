import { createHash } from 'node:crypto';
import type { HistoryLine } from './books.js';
import { canonical, canonicalText } from './json.js';

/** What a path asks for, on the routes that take a key. */
export type Asked = {
  kind: 'charge' | 'capture' | 'void' | 'refund';
  route: string;
  params: Record<string, string>;
};

const KINDS = { capture: 'capture', cancel: 'void', refunds: 'refund' } as const;

/** Null on routes that ignore a key. */
export function askedFor({ method, path }: HistoryLine): Asked | null {
  if (method !== 'POST') return null;
  const [route = ''] = path.split('?');
  if (route === '/v1/payments') return { kind: 'charge', route, params: {} };
  const [, id = '', step] = /^\/v1\/payments\/([^/]+)\/(capture|cancel|refunds)$/.exec(route) ?? [];
  if (step === undefined) return null;
  const kind = KINDS[step as keyof typeof KINDS];
  return { kind, route: `/v1/payments/:id/${step}`, params: { id } };
}

/** What makes two requests one: method, route, its parameters and the body as it was sent. Null if it is not JSON. */
export function fingerprintOf(line: HistoryLine): string | null {
  const asked = askedFor(line);
  const body = canonicalText(line.body || '{}');
  if (asked === null || body === null) return null;
  const frame = [1, 'POST', asked.route, asked.params].map(canonical).join(',');
  return `\\x${createHash('sha256').update(`[${frame},${body}]`, 'utf8').digest('hex')}`;
}
