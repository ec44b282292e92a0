import { lineAt, type Rule, type Violation } from '../source.js';

/** `docs/problems/<code>.md` exists for each code of the registry, and for no other. */
export const problemPagesMatch =
  (codes: readonly string[]): Rule =>
  (files) => {
    const pages = files.flatMap(
      ({ path }) => path.match(/^docs\/problems\/([a-z0-9_]+)\.md$/)?.[1] ?? [],
    );
    return [
      ...missingFrom(pages, codes).map((code) =>
        at(`docs/problems/${code}.md`, 1, `the registry has ${code}, its page is missing`),
      ),
      ...missingFrom(codes, pages).map((code) =>
        at(`docs/problems/${code}.md`, 1, `a page for ${code}, which the registry does not have`),
      ),
    ];
  };

/** `.env.example` names each variable of the configuration schema, and no other. */
export const envExampleMatches =
  (variables: readonly string[]): Rule =>
  (files) => {
    const text = files.find(({ path }) => path === '.env.example')?.text ?? '';
    const named = [...text.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map((found) => ({
      name: found[1] ?? '',
      line: lineAt(text, found.index),
    }));
    const names = named.map(({ name }) => name);
    return [
      ...missingFrom(names, variables).map((name) => at('.env.example', 1, `${name} is missing`)),
      ...named
        .filter(({ name }) => !variables.includes(name))
        .map(({ name, line }) =>
          at('.env.example', line, `${name} is not a variable of the configuration schema`),
        ),
    ];
  };

/** The glossary explains each value that a row of the ledger may carry. */
export const glossaryExplains =
  (kinds: readonly string[]): Rule =>
  (files) => {
    const page = files.find(({ path }) => path === 'docs/glossary.md')?.text ?? '';
    return kinds
      .filter((kind) => !page.includes(`\`${kind}\``))
      .map((kind) =>
        at('docs/glossary.md', 1, `\`${kind}\`, a kind of ledger entry, is not explained`),
      );
  };

function missingFrom(list: readonly string[], wanted: readonly string[]): string[] {
  return wanted.filter((item) => !list.includes(item));
}

function at(path: string, line: number, reason: string): Violation {
  return { path, line, reason };
}
