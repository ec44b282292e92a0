import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '#embedded/home.js';
import { faultsPage } from './proof/faults-page.js';
import { figuresOf, invariantsOf, notInjected } from './proof/figures-page.js';
import { addUp, addUpAll, hashOfSources, readRuns } from './proof/runs.js';
import { say } from './start/say.js';
import { refuseWords, runCommand } from './command.js';

const HELP = `npm run docs [-- --check]

Writes the pages that are made from data: docs/faults.md from the table of faults, and in docs/proof.md the
invariants of the checker, what was not injected, and the figures, which docs/proof-runs.jsonl adds up.

  --check   writes nothing; exits 1 when a page is not what it would be
  --help    this text
Exits 2 when it could not run.
`;

/** `npm run docs`. */
export async function main(args: string[]): Promise<void> {
  const options = { check: { type: 'boolean' } } as const;
  await runCommand({ args, help: HELP, options }, async ({ check }, words) => {
    refuseWords(words);
    return writePages(check === true);
  });
}

function writePages(isCheck: boolean): number {
  const root = checkoutRoot();
  const stale = [...pages(root)].filter(
    ([path, text]) => readFileSync(join(root, path), 'utf8') !== text,
  );
  for (const [path, text] of stale) {
    if (isCheck) say(`${path} is not what npm run docs writes`);
    else writeFileSync(join(root, path), text);
  }
  if (isCheck) return stale.length > 0 ? 1 : 0;
  say(
    stale.length > 0 ? `Wrote ${stale.map(([path]) => path).join(', ')}` : 'All pages were right.',
  );
  return 0;
}

/** Each page that is made from data, by its path. */
export function pages(root: string): Map<string, string> {
  const runs = readRuns(root);
  const { counts, hits } = addUp(runs, hashOfSources(root));
  const figures = figuresOf(counts, addUpAll(runs));
  const proof = readFileSync(join(root, 'docs/proof.md'), 'utf8');
  return new Map([
    ['docs/faults.md', faultsPage(hits)],
    ['docs/proof.md', proofPage(proof, figures)],
  ]);
}

function proofPage(page: string, figures: string): string {
  const parts = { invariants: invariantsOf(), figures, 'not-injected': notInjected() };
  return Object.entries(parts).reduce((text, [name, part]) => put(name, part, text), page);
}

/** Puts a part between its two markers. */
function put(name: string, part: string, page: string): string {
  const marked = new RegExp(`(<!-- ${name}:start -->)[\\s\\S]*?(<!-- ${name}:end -->)`);
  return page.replace(marked, (_, start: string, end: string) => `${start}\n${part}\n${end}`);
}
