import type { SettledAdapter } from './adapter.js';
import { SOURCES } from './check.js';
import { ABSENT, folderOf, type Peer, type PeerRun } from './peers.js';
import { PHASES } from './phases.js';
import { shown } from './report.js';
import type { Result, Run } from './run-checks.js';

export type OwnRun = { run: Run; adapter: SettledAdapter };

/** docs/peers.md: what each was asked, in one table, and below it each red cell with what shows it. */
export function peersPage(peers: PeerRun[], own: OwnRun | null): string {
  const columns = [...(own ? [own] : []), ...peers];
  const heads = columns.map(({ run }) => `${run.service} ${run.version ?? ''}`.trim());
  return [
    '# Peers',
    '',
    ...INTRODUCTION,
    '',
    ...peers.map(({ peer, run }) => usedLine(peer, run)),
    ...ABSENT.map((name) => `- \`${name}\`: ${WHY_ABSENT}`),
    '',
    '## Phases',
    '',
    `| phase | ${heads.join(' | ')} |`,
    `| --- |${' --- |'.repeat(heads.length)}`,
    ...PHASES.map(({ name }) => row(name, columns)),
    '',
    'A cell says how many of the checks that apply hold. A red one names the others; each stands below.',
    ...columns.flatMap(({ run, adapter }) => section(run, adapter)),
    '',
  ].join('\n');
}

const INTRODUCTION = [
  'The checks of [the conformance kit](conformance.md), run against libraries that give an HTTP service',
  'idempotency keys. Each stands in front of',
  '[the same small payments handler](../ops/conformance/peers/payments.mjs), which keeps its effects in memory, so',
  'that they can be counted. Libraries are bound by less than a payments service: some reds below are the work of',
  'the framework and its JSON parser, which a library never sees. They count all the same, since whoever builds a',
  'service in this way has them. Each check says where it comes from; where that is "practice", weigh it yourself.',
  '',
  'This page is written by the command, and can be made again:',
  '',
  '```sh',
  'npm run conformance -- --peers --out docs',
  '```',
  '',
  'A column for Payonce comes with `URL --key KEY --other-key KEY --rotated-key KEY` in front of `--peers`.',
];

const WHY_ABSENT =
  'not in the registry that this was run with (`npm view` finds nothing), so it was not tried.';

function usedLine(peer: Peer, { version }: Run): string {
  const { package: name, home, used } = peer;
  return `- [${name}](${home}) ${version ?? ''} ([its folder](../${folderOf(peer)})): ${used}.`;
}

function row(phase: string, columns: { run: Run }[]): string {
  const cells = columns.map(({ run }) => {
    const results = run.results.filter((result) => result.phase === phase);
    const asked = results.filter(({ outcome }) => outcome !== 'not_applicable');
    const held = asked.filter(({ outcome }) => outcome === 'pass');
    const red = asked.filter(({ outcome }) => outcome !== 'pass').map(({ id }) => `\`${id}\``);
    if (asked.length === 0) return 'not applicable';
    return `${held.length} of ${asked.length}${red.length > 0 ? `; not ${red.join(', ')}` : ''}`;
  });
  return `| ${phase} | ${cells.join(' | ')} |`;
}

function section(run: Run, adapter: SettledAdapter): string[] {
  const red = run.results.filter(({ outcome }) => outcome === 'fail' || outcome === 'documented');
  if (red.length === 0) return [];
  return ['', `## ${run.service}`, ...red.flatMap((result) => redCell(result, adapter))];
}

function redCell(result: Result, adapter: SettledAdapter): string[] {
  const { id, title, says, source, difference } = result;
  return [
    '',
    `### \`${id}\`: ${title.replaceAll('__', '\\_\\_')}`,
    '',
    `Seen: ${says}. Asked for by: ${SOURCES[source]}.`,
    ...(difference ? [`On purpose: ${difference.reason} (${difference.link}).`] : []),
    '',
    '```sh',
    ...shown(result, adapter).map(withoutChance),
    '```',
  ];
}

/** Without what is new in each run, so that two pages can be compared. */
function withoutChance(text: string): string {
  return text
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:PORT')
    .replaceAll(/conformance-[0-9a-f]{10}(-\d+)(-[0-9a-f]{12})?/g, 'run$1')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID');
}
