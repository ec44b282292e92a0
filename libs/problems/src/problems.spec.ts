import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { problemPath, renderProblem } from './problems.js';
import type { ProblemDefinition } from './problem-definition.js';
import { PROBLEMS, type ProblemCode } from './registry.js';

const PAGES = new URL('../../../docs/problems/', import.meta.url);
const codes = Object.keys(PROBLEMS) as ProblemCode[];

/** What these have to say is the same for every request: nobody gives them a detail or a param. */
const SAID_BY_SUMMARY: ProblemCode[] = [
  'idempotency_key_missing',
  'idempotency_key_in_progress',
  'idempotency_key_reused',
  'idempotency_key_expired',
  'order_already_paid',
  'payment_unresolved',
  'unauthenticated',
  'body_too_large',
  'headers_too_large',
  'request_timeout',
  'method_not_allowed',
  'not_found',
  'payment_not_found',
  'database_unavailable',
  'internal_error',
];

describe('problem pages', () => {
  it('are one for each code, and no other', () => {
    const pages = readdirSync(PAGES).map((file) => file.replace(/\.md$/, ''));
    expect(pages.toSorted()).toEqual([...codes].toSorted());
  });

  it.each(codes)('%s: the page says what the registry says', (code) => {
    const page = readFileSync(new URL(`${code}.md`, PAGES), 'utf8');
    const { title, summary, status, retryable, saved } = definitionOf(code);
    const [heading, firstParagraph, facts] = page.split('\n\n');

    expect(heading).toBe(`# \`${code}\`: ${title}`);
    expect(firstParagraph?.replaceAll('\n', ' ')).toBe(summary);
    expect(facts).toBe(
      [
        `HTTP status **${status}**`,
        `\`retryable\`: **${JSON.stringify(retryable)}**`,
        saved ? 'kept as the final answer of the key' : 'not kept: the key stays as it was',
      ].join(' · '),
    );
    expect(headings(page)).toEqual([
      'Was money moved?',
      'What to do',
      'What a retry gets',
      'Example',
    ]);
  });

  it.each(codes)('%s: the example is what the service sends', (code) => {
    const page = readFileSync(new URL(`${code}.md`, PAGES), 'utf8');
    const shown = fenced(page, 'json');
    // Fixed members among the extras lose, so the whole example may be handed over as extras.
    const extra = JSON.parse(shown) as { detail: string; param: string | null; request_id: string };

    const sent = renderProblem({ ...extra, code, extra }, extra.request_id);
    expect(shown).toBe(JSON.stringify(JSON.parse(sent.body), null, 2));
    expect(extra.request_id).toMatch(/^req_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    if (SAID_BY_SUMMARY.includes(code)) {
      expect([extra.detail, extra.param]).toEqual([definitionOf(code).summary, null]);
    }
    const [statusLine, ...headers] = fenced(page, 'http').split('\n');
    expect(statusLine).toMatch(new RegExp(`^HTTP/1.1 ${sent.status} `));
    expect(headers.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()))).toEqual(
      Object.entries(sent.headers).map(([name, value]) => `${name}: ${value}`),
    );
  });

  it('of an expired key states how long an answer is kept and what a late retry gets', () => {
    const page = readFileSync(new URL('idempotency_key_expired.md', PAGES), 'utf8');
    expect(page).toMatch(/`ANSWERS_DAYS`, 7 by default/);
    expect(page.replaceAll('\n', ' ')).toMatch(/same 409 with the payment's id.*never a second/);
  });
});

describe('renderProblem', () => {
  it('writes the members in one order, the extras last', () => {
    const { body, status, headers } = renderProblem(
      {
        code: 'card_declined',
        detail: 'No funds.',
        extra: { decline_code: 'insufficient_funds', payment: null },
      },
      'r1',
    );
    expect(body).toBe(
      '{"type":"/docs/problems/card_declined","title":"The card was declined","status":402,' +
        '"detail":"No funds.","code":"card_declined","param":null,"retryable":false,' +
        '"request_id":"r1","decline_code":"insufficient_funds","payment":null}',
    );
    expect(status).toBe(402);
    expect(headers).toEqual({ 'content-type': 'application/problem+json' });
  });

  it('tells the summary where there is nothing more to say', () => {
    const { body } = renderProblem({ code: 'idempotency_key_reused' }, 'r1');
    expect(JSON.parse(body)).toHaveProperty('detail', PROBLEMS.idempotency_key_reused.summary);
  });

  it('shows no card number that the caller put into a value or a name', () => {
    const card = '4242424242424242';
    const problem = { detail: `"${card}" is not allowed.`, param: `metadata.${card}` };
    const { body } = renderProblem({ code: 'validation_failed', ...problem }, 'r1');
    expect(JSON.parse(body)).toMatchObject({
      detail: '"************4242" is not allowed.',
      param: 'metadata.************4242',
    });
  });

  it('lets no extra replace a fixed member', () => {
    const extra = { status: 200, code: 'ok', request_id: 'x', payment_id: 'p' };
    const { body } = renderProblem({ code: 'validation_failed', detail: 'd', extra }, 'r1');
    expect(JSON.parse(body)).toMatchObject({
      status: 400,
      code: 'validation_failed',
      request_id: 'r1',
      payment_id: 'p',
    });
  });

  it('sends Retry-After in whole seconds, rounded up, and never zero', () => {
    expect(retryAfter('idempotency_key_in_progress')).toBe('1');
    expect(retryAfter('overloaded', 2.2)).toBe('3');
    expect(retryAfter('rate_limited', 0)).toBe('1');
    expect(retryAfter('idempotency_key_reused')).toBeUndefined();
  });
});

describe('the registry', () => {
  it('gives Retry-After to exactly what should be sent again', () => {
    for (const code of codes) {
      const { retryable, retryAfterSeconds } = definitionOf(code);
      expect([code, retryAfterSeconds !== undefined]).toEqual([code, retryable === true]);
    }
  });

  it('never keeps an answer that a retry is asked to improve', () => {
    const kept = codes.filter((code) => definitionOf(code).saved);
    expect(kept.toSorted()).toEqual([
      'capture_failed',
      'card_declined',
      'payment_not_charged',
      'refund_failed',
      'void_failed',
    ]);
    expect(kept.filter((code) => PROBLEMS[code].retryable !== false)).toEqual([]);
  });

  it('has a title of its own for each code', () => {
    expect(new Set(codes.map((code) => PROBLEMS[code].title)).size).toBe(codes.length);
    expect(problemPath('too_deep')).toBe('/docs/problems/too_deep');
  });
});

function definitionOf(code: ProblemCode): ProblemDefinition {
  return PROBLEMS[code];
}

function retryAfter(code: ProblemCode, seconds?: number): string | undefined {
  const wait = seconds === undefined ? {} : { retryAfterSeconds: seconds };
  return renderProblem({ code, detail: 'd', ...wait }, 'r1').headers['retry-after'];
}

function headings(page: string): string[] {
  return [...page.matchAll(/^## (.+)$/gm)].map((match) => match[1] ?? '');
}

function fenced(page: string, language: string): string {
  const match = new RegExp(`\`\`\`${language}\\n([^\`]*)\\n\`\`\``).exec(page);
  return match?.[1] ?? `no ${language} example`;
}
