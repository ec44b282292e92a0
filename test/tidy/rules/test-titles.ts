import ts from 'typescript';
import { isSpec, lineAt, parse, type Rule, type SourceFile } from '../source.js';

/** A red test is found by its title: describe() and it() together name one test in the whole repository. */
export const titlesAreUnique: Rule = (files) => {
  const first = new Map<string, string>();
  return files.filter(isSpec).flatMap((file) =>
    titles(file).flatMap(({ title, line }) => {
      const place = first.get(title);
      if (place === undefined) first.set(title, `${file.path}:${line}`);
      return place === undefined
        ? []
        : [{ path: file.path, line, reason: `"${title}" is also the title at ${place}` }];
    }),
  );
};

function titles(file: SourceFile): { title: string; line: number }[] {
  const found: { title: string; line: number }[] = [];
  const walk = (node: ts.Node, chapter: string) => {
    const call = ts.isCallExpression(node) ? namedCall(node) : null;
    const title = call ? [chapter, call.title].filter(Boolean).join(' > ') : chapter;
    if (call && call.name !== 'describe')
      found.push({ title, line: lineAt(file.text, node.getStart()) });
    ts.forEachChild(node, (child) => walk(child, title));
  };
  walk(parse(file), '');
  return found;
}

/** `it('…')`, `test.skipIf(…)('…')`, `describe.each(…)('…')`: the leftmost name and the title, as written. */
function namedCall(node: ts.CallExpression): { name: string; title: string } | null {
  const [first] = node.arguments;
  if (!first || !(ts.isStringLiteralLike(first) || ts.isTemplateExpression(first))) return null;
  const name = node.expression
    .getText()
    .match(/^(describe|it|test)\b(?!\.(each|for|skipIf|runIf)\([^)]*$)/)?.[1];
  const title = first.getText().slice(1, -1);
  // A title that is a placeholder alone takes its words from the rows of its table.
  return name && !/^(%s|\$\w+)$/.test(title) ? { name, title } : null;
}
