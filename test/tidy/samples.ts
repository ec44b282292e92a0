import { decisionsAreWhole, linksLeadSomewhere } from './rules/documents.js';
import { envExampleMatches, glossaryExplains, problemPagesMatch } from './rules/equal-lists.js';
import { failpointsAreUsed } from './rules/failpoints.js';
import { filesAreShort } from './rules/file-size.js';
import { disabledRulesSayWhy } from './rules/forbidden-words.js';
import { noImportCycles, noUnusedFiles } from './rules/import-graph.js';
import { PROMISES, promisesAreKept } from './rules/promises.js';
import { sqlStaysHome } from './rules/sql-homes.js';
import { titlesAreUnique } from './rules/test-titles.js';
import type { Rule } from './source.js';

type Planted = Record<string, string>;

/** Files that break a rule (`says`: the one violation, as far as `path:line reason` begins) and files that keep it. */
export type Sample = { rule: Rule; what: string; red: Planted; says: string; green: Planted };

const kept: Planted = Object.fromEntries(
  PROMISES.flatMap((promise) => [
    [`libs/a/src/${promise}.ts`, `/** @keeps ${promise}: so. */`],
    [`test/promises/p0${promise.slice(1)}-so.spec.ts`, ''],
  ]),
);
const { 'test/promises/p08-so.spec.ts': _removed, ...withoutSpec } = kept;
const seams = 'libs/seams/src/failpoints.ts';
const names = { [seams]: "\nexport const FAILPOINT_NAMES = ['c1'] as const;" };
const passed = { 'libs/payments/src/a.ts': "await failpoint('c1');" };
const fired = { 'test/crash/a.spec.ts': "start({ FAILPOINTS: 'c1:1:kill' });" };
const decision = '# Title\n## Context\n## Decision\n## Why\n## Costs\n## Enforced by\n';
const main = (text: string) => ({ 'apps/a/src/main.ts': text });

export const SAMPLES: Sample[] = [
  {
    rule: promisesAreKept,
    what: 'a promise that only a longer number names',
    red: { ...kept, 'libs/a/src/P1.ts': '/** @keeps P10: so. */' },
    says: 'libs:1 no code says "@keeps P1"',
    green: { ...kept, 'libs/a/src/P1.ts': '/** @keeps P10, P1: so. */' },
  },
  {
    rule: promisesAreKept,
    what: 'a promise without a spec',
    red: withoutSpec,
    says: 'test/promises:1 no p08-….spec.ts',
    green: kept,
  },
  {
    rule: sqlStaysHome,
    what: 'a statement in a template',
    red: {
      'libs/payments/src/a.ts':
        'const a = 1;\nconst b = `\n  SELECT id FROM payments WHERE id = ${a}`;',
    },
    says: 'libs/payments/src/a.ts:2 SQL outside its home',
    green: {
      'libs/payments/src/payments.sql.ts': 'const b = `SELECT id FROM payments`;',
      'libs/payments/src/a.spec.ts': 'const b = `SELECT id FROM payments`;',
      'libs/postgres/src/a.ts': 'const b = `SELECT id FROM payments`;',
      'libs/payments/src/b.ts':
        "const c = 'Please select one of these'; // SELECT id FROM payments",
    },
  },
  {
    rule: sqlStaysHome,
    what: 'a statement in small letters',
    red: { 'ops/a.ts': "query('update payments set status = 1');" },
    says: 'ops/a.ts:1 SQL outside its home',
    green: { 'ops/a.ts': "say('update payments when you can');" },
  },
  {
    rule: disabledRulesSayWhy,
    what: 'a linter rule switched off without a reason',
    red: { 'libs/a/src/a.ts': '// oxlint-disable-next-line no-console\nf();' },
    says: 'libs/a/src/a.ts:1 oxlint-disable',
    green: {
      'libs/a/src/a.ts': '// oxlint-disable-next-line no-console -- a command line tool\nf();',
    },
  },
  {
    rule: failpointsAreUsed,
    what: 'a failpoint that no code passes',
    red: { ...names, ...fired, 'libs/payments/src/a.ts': "await failpoint('c12');" },
    says: `${seams}:2 no code passes failpoint('c1')`,
    green: { ...names, ...passed, ...fired },
  },
  {
    rule: failpointsAreUsed,
    what: 'a failpoint that no crash test fires',
    red: { ...names, ...passed, 'test/crash/a.spec.ts': "start({ FAILPOINTS: 'c12:1:kill' });" },
    says: `${seams}:2 no spec in test/crash fires c1`,
    green: { ...names, ...passed, ...fired },
  },
  {
    rule: failpointsAreUsed,
    what: 'a list of failpoints that it cannot find',
    red: { [seams]: 'export const OTHER = [];' },
    says: `${seams}:1 FAILPOINT_NAMES not found`,
    green: { ...names, ...passed, ...fired },
  },
  {
    rule: problemPagesMatch(['a_b']),
    what: 'a problem without a page',
    red: {},
    says: 'docs/problems/a_b.md:1 the registry has a_b',
    green: { 'docs/problems/a_b.md': '' },
  },
  {
    rule: problemPagesMatch([]),
    what: 'a page without its problem',
    red: { 'docs/problems/a_b.md': '' },
    says: 'docs/problems/a_b.md:1 a page for a_b',
    green: {},
  },
  {
    rule: glossaryExplains(['charge']),
    what: 'a kind of entry that the glossary does not explain',
    red: { 'docs/glossary.md': 'A charge is …' },
    says: 'docs/glossary.md:1 `charge`, a kind of ledger entry',
    green: { 'docs/glossary.md': '| `charge` | … |' },
  },
  {
    rule: envExampleMatches(['PORT']),
    what: 'a variable that the example does not name',
    red: { '.env.example': 'PORTS=1' },
    says: '.env.example:1 PORT is missing',
    green: { '.env.example': '# PORT=3000' },
  },
  {
    rule: envExampleMatches(['PORT']),
    what: 'a variable that the schema does not know',
    red: { '.env.example': 'PORT=3000\nPROT=1' },
    says: '.env.example:2 PROT is not a variable',
    green: { '.env.example': '# The port: PROT is a typo\nPORT=3000' },
  },
  {
    rule: filesAreShort,
    what: 'a file of 301 lines',
    red: { 'libs/a/src/a.ts': 'f();\n'.repeat(301) },
    says: 'libs/a/src/a.ts:301 301 lines',
    green: { 'libs/a/src/a.ts': 'f();\n'.repeat(300), 'docs/a.md': 'x\n'.repeat(400) },
  },
  {
    rule: noUnusedFiles,
    what: 'a file that nobody imports',
    red: { ...main(''), 'libs/b/src/b.ts': '' },
    says: 'libs/b/src/b.ts:1 no application',
    green: {
      ...main("import { b } from '#b/b.js';"),
      'libs/b/src/b.ts': "export const file = './internal/c.js';",
      'libs/b/src/b.production.ts': '',
      'libs/b/src/internal/c.ts': '',
    },
  },
  {
    rule: noUnusedFiles,
    what: 'a file that no path leads to',
    red: { 'ops/a.ts': "join(build, 'libs', 'c.js');", 'libs/b.ts': '', 'libs/c.ts': '' },
    says: 'libs/b.ts:1 no application',
    green: { 'ops/a.ts': "join(build, 'libs', 'b.js');", 'libs/b.ts': '' },
  },
  {
    rule: noUnusedFiles,
    what: 'two files that import only each other',
    red: {
      ...main(''),
      'libs/b/src/b.ts': "import './c.js';",
      'libs/b/src/c.ts': "import './b.js';",
    },
    says: 'libs/b/src/b.ts:1 no application',
    green: { 'libs/b/src/b.spec.ts': "import './b.js';", 'libs/b/src/b.ts': '' },
  },
  {
    rule: noImportCycles,
    what: 'a cycle through two libraries',
    red: {
      'libs/a/src/a.ts': "import { b } from '#b/b.js';",
      'libs/b/src/b.ts': "\nimport { a } from '#a/a.js';",
    },
    says: 'libs/b/src/b.ts:2 a cycle: libs/a/src/a.ts -> libs/b/src/b.ts -> libs/a/src/a.ts',
    green: {
      'libs/a/src/a.ts': "import { b } from '#b/b.js';",
      'libs/b/src/b.ts': "import type { A } from '#a/a.js';",
    },
  },
  {
    rule: titlesAreUnique,
    what: 'one title for two tests',
    red: {
      'libs/a/src/a.spec.ts': "describe('a', () => {\n  it('b', f);\n});",
      'test/b.spec.ts': "\n\ndescribe('a', () => it('b', f));",
    },
    says: 'test/b.spec.ts:3 "a > b" is also the title at libs/a/src/a.spec.ts:2',
    green: {
      'libs/a/src/a.spec.ts': "describe('a', () => it('b', f));",
      'test/b.spec.ts': "describe('c', () => it('b', f));",
    },
  },
  {
    rule: titlesAreUnique,
    what: 'one title for two tables of tests',
    red: { 'test/b.spec.ts': "it.each([1])('b %s', f);\nit.skipIf(x)('b %s', f);" },
    says: 'test/b.spec.ts:2 "b %s" is also',
    green: {
      'test/b.spec.ts':
        "it.each([1])('b %s', f);\nit.skipIf(x)('c %s', f);\nit.each(a)('%s', f);\nit.each(b)('%s', f);",
    },
  },
  {
    rule: linksLeadSomewhere,
    what: 'a link to no file',
    red: { 'docs/a.md': 'x\n[b](b.md)' },
    says: 'docs/a.md:2 b.md leads nowhere',
    green: {
      'docs/a.md': '[b](../libs/b.ts#L3) `[c](c.md)` [d](https://example.org) [e](../libs)',
      'libs/b.ts': '',
    },
  },
  {
    rule: linksLeadSomewhere,
    what: 'a link to no heading',
    red: { 'docs/a.md': '[b](b.md#one-two)', 'docs/b.md': '# One, three!' },
    says: 'docs/a.md:1 b.md#one-two: no such heading',
    green: { 'docs/a.md': '[b](b.md#one-two) [c](#c)\n# C', 'docs/b.md': '# One, two!' },
  },
  ...['Context', 'Decision', 'Why', 'Costs', 'Enforced by'].map((part) => ({
    rule: decisionsAreWhole,
    what: `a decision without the part "${part}"`,
    red: { 'docs/decisions/a.md': decision.replace(`## ${part}\n`, '') },
    says: `docs/decisions/a.md:1 the part "${part}" is missing`,
    green: {
      'docs/decisions/a.md': decision.replace('## Costs', '**Consequences.**'),
      'docs/decisions/README.md': '',
    },
  })),
];
