import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';

/** A file of the repository, as the rules see it: they never touch the disk, so a test can plant any sample. */
export type SourceFile = { path: string; text: string };
export type Violation = { path: string; line: number; reason: string };
export type Rule = (files: SourceFile[]) => Violation[];

const NOT_OURS = new Set(['node_modules', '.git', '.payonce', 'coverage']);
/** What the commands of the proof write; `ops/proof` and `test/proof` are ours. */
const OUTPUT = 'proof';
const TEXT =
  /\.(ts|mjs|js|json|jsonl|md|sql|sh|yml|yaml|txt|html|css)$|(^|\/)(\.ci\/run|\.env\.example|Dockerfile|LICENSE|\.editorconfig|\.npmrc|\.gitignore)$/;

/** Every text file of the working tree that is ours: no build, no dependency, no data. */
export function readTree(root: string): SourceFile[] {
  const found: SourceFile[] = [];
  const visit = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const name = relative(root, path).split(sep).join('/');
      if (entry.isDirectory() && name !== OUTPUT && !isBuildOrData(entry.name)) visit(path);
      if (entry.isFile() && TEXT.test(name) && name !== 'package-lock.json') {
        found.push({ path: name, text: readFileSync(path, 'utf8') });
      }
    }
  };
  visit(root);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function isBuildOrData(name: string): boolean {
  return NOT_OURS.has(name) || /^dist(-demo)?(\.|$)/.test(name);
}

export const isCode = ({ path }: SourceFile): boolean => /\.(ts|mjs|js)$/.test(path);
export const isSpec = ({ path }: SourceFile): boolean => path.endsWith('.spec.ts');
/** What runs in production: applications and libraries, without specs and their helpers. */
export const isProduct = (file: SourceFile): boolean =>
  /^(apps|libs)\//.test(file.path) &&
  isCode(file) &&
  !isSpec(file) &&
  !file.path.startsWith('libs/testing/');

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** All matches of a pattern that no `tidy-allow: <reason>` excuses, on the same line or the line above. */
export function matches(
  file: SourceFile,
  text: string,
  pattern: RegExp,
): { line: number; match: string }[] {
  const lines = file.text.split('\n');
  return [...text.matchAll(pattern)]
    .map((found) => ({ line: lineAt(text, found.index), match: found[0] }))
    .filter(
      ({ line }) =>
        ![lines[line - 1], lines[line - 2]].some((near) => /tidy-allow: \S+/.test(near ?? '')),
    );
}

const parsed = new WeakMap<SourceFile, ts.SourceFile>();
export function parse(file: SourceFile): ts.SourceFile {
  let tree = parsed.get(file);
  if (!tree) {
    tree = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
    parsed.set(file, tree);
  }
  return tree;
}

export function visitNodes(file: SourceFile, visit: (node: ts.Node) => void): void {
  const walk = (node: ts.Node) => {
    visit(node);
    ts.forEachChild(node, walk);
  };
  walk(parse(file));
}

/** The text with its comments blanked (lines and columns stay), and the comments alone. */
export function splitComments(file: SourceFile): { code: string; comments: string } {
  const ranges = commentsOf(file);
  let code = '';
  let comments = '';
  let at = 0;
  for (const { pos, end } of ranges) {
    code += file.text.slice(at, pos) + blank(file.text.slice(pos, end));
    comments += blank(file.text.slice(at, pos)) + file.text.slice(pos, end);
    at = end;
  }
  return { code: code + file.text.slice(at), comments: comments + blank(file.text.slice(at)) };
}

/** The same text as blanks: lines and columns stay. */
export function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}

type Range = { pos: number; end: number };

function commentsOf(file: SourceFile): Range[] {
  if (file.path.endsWith('.sql')) return sqlComments(file.text);
  return isCode(file) ? codeComments(file) : [];
}

function sqlComments(text: string): Range[] {
  return [...text.matchAll(/--[^\n]*/g)].map((m) => ({ pos: m.index, end: m.index + m[0].length }));
}

function codeComments(file: SourceFile): Range[] {
  const ranges = new Map<number, Range>();
  const walk = (node: ts.Node) => {
    const children = node.getChildren();
    if (children.length === 0) {
      for (const range of ts.getLeadingCommentRanges(file.text, node.pos) ?? [])
        ranges.set(range.pos, range);
      for (const range of ts.getTrailingCommentRanges(file.text, node.end) ?? [])
        ranges.set(range.pos, range);
    }
    children.forEach(walk);
  };
  walk(parse(file));
  return [...ranges.values()].sort((a, b) => a.pos - b.pos);
}
