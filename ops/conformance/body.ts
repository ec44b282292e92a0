import type { Body } from './wire.js';

/** The members of a body, each value as JSON text, so that a check can spell it as it likes. */
export type Members = [name: string, text: string][];

export function membersOf(body: Record<string, unknown> | undefined): Members {
  return Object.entries(body ?? {}).map(([name, value]) => [name, JSON.stringify(value)]);
}

export function bodyOf(members: Members): Body {
  return textBody(
    `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`,
  );
}

export function textBody(text: string): Body {
  return { bytes: Buffer.from(text, 'utf8') };
}

/** The same members with one of them spelled otherwise; behind the others where it was not there. */
export function withMember(members: Members, name: string, text: string): Members {
  return members.some(([known]) => known === name)
    ? members.map(([known, was]) => [known, known === name ? text : was])
    : [...members, [name, text]];
}
