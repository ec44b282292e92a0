import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ENTRY_KINDS } from '#ledger/entry-kinds.js';
import { CONFIG_VARIABLES } from '#platform/config.js';
import { PROBLEMS } from '#problems/registry.js';
import { decisionsAreWhole, linksLeadSomewhere } from './tidy/rules/documents.js';
import {
  envExampleMatches,
  glossaryExplains,
  problemPagesMatch,
} from './tidy/rules/equal-lists.js';
import { failpointsAreUsed } from './tidy/rules/failpoints.js';
import { filesAreShort } from './tidy/rules/file-size.js';
import { disabledRulesSayWhy, noForbiddenWords } from './tidy/rules/forbidden-words.js';
import { noImportCycles, noUnusedFiles } from './tidy/rules/import-graph.js';
import { noLeftovers } from './tidy/rules/leftovers.js';
import { promisesAreKept } from './tidy/rules/promises.js';
import { sqlStaysHome } from './tidy/rules/sql-homes.js';
import { titlesAreUnique } from './tidy/rules/test-titles.js';
import { readTree, type Rule } from './tidy/source.js';

/** The house rules that a linter cannot express. `tidy-rules.spec.ts` sees each of them red on a planted sample. */
const RULES: Record<string, Rule> = {
  'each promise is named by code and proved by a spec': promisesAreKept,
  'SQL stays in its homes': sqlStaysHome,
  'no word is used outside its home': noForbiddenWords,
  'a linter rule that is switched off says why': disabledRulesSayWhy,
  'each failpoint is passed by code and fired by a crash test': failpointsAreUsed,
  'each problem has its page and each page its problem': problemPagesMatch(Object.keys(PROBLEMS)),
  'the example environment lists the variables of the schema': envExampleMatches(CONFIG_VARIABLES),
  'the glossary explains each kind of ledger entry': glossaryExplains(Object.keys(ENTRY_KINDS)),
  'nothing is left over': noLeftovers,
  'no file is longer than 300 lines': filesAreShort,
  'each source file is used': noUnusedFiles,
  'imports form no cycle': noImportCycles,
  'no two tests have one title': titlesAreUnique,
  'each relative link leads somewhere': linksLeadSomewhere,
  'each decision has its five parts': decisionsAreWhole,
};

describe('house rules', () => {
  const files = readTree(dirname(dirname(fileURLToPath(import.meta.url))));

  it.each(Object.entries(RULES))('%s', (_title, rule) => {
    expect(violations(rule)).toEqual([]);
  });

  function violations(rule: Rule): string[] {
    return rule(files).map(({ path, line, reason }) => `${path}:${line} ${reason}`);
  }
});
