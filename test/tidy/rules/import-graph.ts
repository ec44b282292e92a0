import { posix } from 'node:path';
import ts from 'typescript';
import { isCode, isSpec, visitNodes, type Rule, type SourceFile } from '../source.js';

/** A source file that no application, command or test reaches is read and maintained for nothing. */
export const noUnusedFiles: Rule = (files) => {
  const code = files.filter((file) => isCode(file) && LIVED_IN.test(file.path));
  const edges = importGraph(code);
  const reached = new Set<string>();
  const queue = code.filter(isEntry).map(({ path }) => path);
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    queue.push(...(edges.get(path) ?? []).map(({ to }) => to));
    const twin = path.replace(/\.ts$/, '.production.ts'); // the build puts it in this file's place
    if (edges.has(twin)) queue.push(twin);
  }
  return code
    .filter(({ path }) => !reached.has(path))
    .map(({ path }) => ({ path, line: 1, reason: 'no application, command or test imports it' }));
};

/** No cycles, across libraries too (the linter's rule follows relative imports only). Types may refer to each other. */
export const noImportCycles: Rule = (files) => {
  const code = files.filter((file) => isCode(file) && LIVED_IN.test(file.path));
  const edges = importGraph(code);
  const state = new Map<string, 'open' | 'done'>();
  const found: { path: string; line: number; reason: string }[] = [];
  const visit = (path: string, trail: string[]) => {
    state.set(path, 'open');
    for (const { to, line, typeOnly } of edges.get(path) ?? []) {
      if (typeOnly || to === path) continue;
      if (state.get(to) === 'open') {
        const cycle = [...trail.slice(trail.indexOf(to)), to].join(' -> ');
        found.push({ path, line, reason: `a cycle: ${cycle}` });
      } else if (!state.has(to)) visit(to, [...trail, to]);
    }
    state.set(path, 'done');
  };
  for (const { path } of code) if (!state.has(path)) visit(path, [path]);
  return found;
};

const LIVED_IN = /^(apps|libs|ops|test|load-tests)\/|^vitest\.config\.ts$/;
const isEntry = (file: SourceFile) =>
  isSpec(file) ||
  /^apps\/[^/]+\/src\/main\.ts$|^ops\/[^/]+\.(ts|mjs)$|(^|\/)vitest\.config\.ts$|^load-tests\/[^/]+\.ts$/.test(
    file.path,
  );

type Edge = { to: string; line: number; typeOnly: boolean };

function importGraph(code: SourceFile[]): Map<string, Edge[]> {
  const known = new Set(code.map(({ path }) => path));
  return new Map(code.map((file) => [file.path, edgesOf(file, known)]));
}

/** Imports, and strings that spell a file of ours: a worker's path, a setup file in a configuration. */
function edgesOf(file: SourceFile, known: Set<string>): Edge[] {
  const edges: Edge[] = [];
  visitNodes(file, (node) => {
    const joined = joinedPath(node);
    const built = joined === null ? null : resolve(file.path, joined, known);
    if (built !== null) edges.push({ to: built, line: lineOf(file, node), typeOnly: true });
    if (!ts.isStringLiteralLike(node)) return;
    const to = resolve(file.path, node.text, known);
    const { parent } = node;
    const isImport = ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent);
    if (to !== null)
      edges.push({ to, line: lineOf(file, node), typeOnly: !isImport || isTypeOnly(parent) });
  });
  return edges;
}

/** `join(folder, 'libs', 'a', 'b.js')`: a path put together, of which the words are known. */
function joinedPath(node: ts.Node): string | null {
  if (!ts.isCallExpression(node) || !/\b(join|resolve)$/.test(node.expression.getText()))
    return null;
  return node.arguments
    .filter(ts.isStringLiteralLike)
    .map(({ text }) => text)
    .join('/');
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  if (!clause) return false;
  const named = clause.namedBindings;
  const allTypes =
    named &&
    ts.isNamedImports(named) &&
    !clause.name &&
    named.elements.every((element) => element.isTypeOnly);
  return clause.phaseModifier === ts.SyntaxKind.TypeKeyword || allTypes === true;
}

function resolve(from: string, text: string, known: Set<string>): string | null {
  const library = text.match(/^#([\w-]+)\/(.+)$/);
  const candidates = library
    ? [`libs/${library[1]}/src/${library[2]}`]
    : [posix.join(posix.dirname(from), text), posix.normalize(text.replace(/^\.\//, ''))];
  return (
    candidates
      .flatMap((path) => [path, path.replace(/\.js$/, '.ts')])
      .find((path) => known.has(path)) ?? null
  );
}

function lineOf(file: SourceFile, node: ts.Node): number {
  return file.text.slice(0, node.getStart()).split('\n').length;
}
