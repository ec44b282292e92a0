import {
  blank,
  isCode,
  isProduct,
  matches,
  splitComments,
  type Rule,
  type SourceFile,
} from '../source.js';

/** Words that are wrong outside their home, each with its reason. `// tidy-allow: reason` excuses one line. */
export const noForbiddenWords: Rule = (files) =>
  FORBIDDEN.flatMap(({ pattern, where, reason, home }) =>
    files.filter(where).flatMap((file) =>
      matches(file, withoutHome(splitComments(file).code, home), pattern).map(
        ({ line, match }) => ({
          path: file.path,
          line,
          reason: `${match}: ${reason}`,
        }),
      ),
    ),
  );

/** A linter rule that is switched off in a file says why, after two dashes. */
export const disabledRulesSayWhy: Rule = (files) =>
  files.filter(isCode).flatMap((file) =>
    matches(
      file,
      splitComments(file).comments,
      /(oxlint|eslint)-disable(?![^\n]* -- \S)[^\n]*/g,
    ).map(({ line, match }) => ({
      path: file.path,
      line,
      reason: `${match.trim()}: say why, after " -- "`,
    })),
  );

/** Blanks the one place where the word belongs; lines stay. */
function withoutHome(code: string, home: RegExp | undefined): string {
  return home ? code.replaceAll(home, blank) : code;
}

const outsideSeams = (file: SourceFile) => isProduct(file) && !file.path.startsWith('libs/seams/');
const isSql = ({ path }: SourceFile) =>
  /^migrations\/.*\.sql$/.test(path) || path.endsWith('.sql.ts');

type Word = {
  pattern: RegExp;
  where: (file: SourceFile) => boolean;
  reason: string;
  home?: RegExp;
};

const FORBIDDEN: Word[] = [
  {
    pattern: /\b\w*(repository|repo|manager)\.save\(/gi,
    where: isProduct,
    reason: 'hidden SQL, four round trips; write a statement',
  },
  {
    pattern: /\b(forwardRef|ModuleRef|Scope\.REQUEST)\b/g,
    where: isProduct,
    reason: 'the object graph is a plain list without cycles, made once',
  },
  {
    pattern: /\bconsole\.(log|info|debug)\b/g,
    where: isProduct,
    reason: 'services write JSON lines through the logger',
  },
  {
    pattern: /\bDate\.now\(\)|\bnew Date\(\)/g,
    where: outsideSeams,
    reason: 'time comes through the Clock of libs/seams, business time from the database',
  },
  {
    pattern: /\bMath\.random\(\)/g,
    where: outsideSeams,
    reason: 'randomness comes through the Random of libs/seams, so that a run can be repeated',
  },
  {
    pattern: /(?<![\w.])(now\(\)|(current|clock|statement|transaction)_timestamp\b)/gi,
    where: isSql,
    reason: 'SQL takes the time from payonce_now(), which a test database can replace',
    home: /FUNCTION payonce_now\(\)[\s\S]*?\$\$;/g,
  },
  {
    pattern: /(?<![\w.])(gen_random_uuid|random|uuidv7)\(\)/gi,
    where: isSql,
    reason: 'SQL takes randomness from payonce_random_uuid(), which a test database can replace',
    home: /FUNCTION payonce_random_uuid\(\)[\s\S]*?\$\$;/g,
  },
];
