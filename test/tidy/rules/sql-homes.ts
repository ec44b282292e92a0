import ts from 'typescript';
import { isCode, isSpec, lineAt, visitNodes, type Rule } from '../source.js';

/** Statements live beside their table in `*.sql.ts`, where the PREPARE test and a reviewer find every one of them. */
export const sqlStaysHome: Rule = (files) =>
  files
    .filter(
      (file) => /^(apps|libs|ops|load-tests)\//.test(file.path) && isCode(file) && !isSpec(file),
    )
    .filter((file) => !HOMES.test(file.path))
    .flatMap((file) => {
      const found: { path: string; line: number; reason: string }[] = [];
      visitNodes(file, (node) => {
        const text = literalText(node);
        if (text === null || !SQL.some((pattern) => pattern.test(text))) return;
        found.push({ path: file.path, line: lineAt(file.text, node.getStart()), reason: REASON });
      });
      return found;
    });

const REASON = 'SQL outside its home: a statement is a named constant in a *.sql.ts file';
/** The mutants quote statements to break them. */
const HOMES = /\.sql\.ts$|^libs\/(postgres|testing|embedded)\/|^ops\/mutants\//;

/** Upper case anywhere is SQL; lower case only in the shape of a whole statement, since `select` is a word too. */
const SQL = [
  /\b(SELECT\s|INSERT INTO\s|DELETE FROM\s|UPDATE\s+\S+\s+SET\s|CREATE (TABLE|INDEX|ROLE|SCHEMA)|ALTER (TABLE|ROLE)|TRUNCATE\s|GRANT\s)/,
  /^\s*(select\s+[\s\S]+\sfrom\s|select\s+\w+\(|insert into \w+|update \w+\s+set\s|delete from \w+|with \w+ as \()/,
];

function literalText(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join('x');
  }
  return null;
}
