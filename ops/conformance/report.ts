import type { SettledAdapter } from './adapter.js';
import { SOURCES } from './check.js';
import { curlOf } from './curl.js';
import type { Outcome, Result, Run } from './run-checks.js';
import type { Answer } from './wire.js';

export const WORDS: Record<Outcome, string> = {
  pass: 'pass',
  fail: 'FAIL',
  documented: 'difference',
  not_applicable: 'n/a',
};
const SHOWN_MAX = 1_200;

/** The run for people: each check in a line, then each red one with the requests that show it. */
export function textReport(run: Run, adapter: SettledAdapter): string {
  const { service, version, url, results } = run;
  const lines = [`${service}${version === null ? '' : ` ${version}`} at ${url}`];
  let phase = '';
  for (const result of results) {
    if (result.phase !== phase) lines.push('', `  ${(phase = result.phase)}`);
    lines.push(`    ${WORDS[result.outcome].padEnd(10)}  ${result.id.padEnd(28)}  ${result.title}`);
    if (result.says !== '' && result.outcome !== 'fail') lines.push(`${BESIDE}${result.says}`);
    if (result.difference)
      lines.push(`${BESIDE}on purpose: ${result.difference.reason} (${result.difference.link})`);
  }
  const red = results.filter(({ outcome }) => outcome === 'fail' || outcome === 'documented');
  for (const result of red) lines.push('', redText(result, adapter));
  return [...lines, '', totalsLine(results)].join('\n');
}

const BESIDE = ' '.repeat(46);

function redText(result: Result, adapter: SettledAdapter): string {
  const { id, title, says, source } = result;
  return [
    `${WORDS[result.outcome]} ${id}: ${title}`,
    `  seen: ${says}`,
    `  asked for by: ${SOURCES[source]}`,
    ...shown(result, adapter).map((text) => text.replaceAll(/^/gm, '  ')),
  ].join('\n');
}

/** Every request of a red check as a command, each with its answer. */
export function shown({ exchanges }: Result, { authorize }: SettledAdapter): string[] {
  return exchanges.map(({ request, answer, lost }) => {
    const seen = answer === null ? `no answer: ${lost ?? 'unknown'}` : answerText(answer);
    return `${curlOf(request, authorize)}\n${seen.replaceAll(/^/gm, '# ')}`;
  });
}

function answerText({ status, headers, bytes }: Answer): string {
  const told = ['location', 'retry-after', 'idempotent-replayed', 'content-type']
    .filter((name) => headers[name] !== undefined)
    .map((name) => `${name}: ${headers[name]}`);
  const text = bytes.toString('utf8').trimEnd();
  return [[status, ...told].join(' · '), text.slice(0, SHOWN_MAX)].filter(Boolean).join('\n');
}

export function totalsOf(results: Result[]): Record<Outcome, number> {
  const totals = { pass: 0, fail: 0, documented: 0, not_applicable: 0 };
  for (const { outcome } of results) totals[outcome] += 1;
  return totals;
}

function totalsLine(results: Result[]): string {
  const { pass, fail, documented, not_applicable } = totalsOf(results);
  return `${pass} pass, ${fail} fail, ${documented} documented differences, ${not_applicable} not applicable`;
}

/** The run for programs. */
export function jsonReport({ service, version, url, results }: Run, adapter: SettledAdapter) {
  return {
    service,
    version,
    url,
    totals: totalsOf(results),
    checks: results.map((result) => ({
      id: result.id,
      phase: result.phase,
      title: result.title,
      source: SOURCES[result.source],
      outcome: result.outcome,
      says: result.says,
      difference: result.difference,
      requests: result.exchanges.map(({ request, answer, lost }) => ({
        curl: curlOf(request, adapter.authorize),
        answer: answer && { ...answer, bytes: undefined, body: answer.bytes.toString('utf8') },
        lost: lost ?? null,
      })),
    })),
  };
}
