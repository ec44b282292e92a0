import { type Mutant, spec } from './mutant.js';

const CLASSES_SPEC = 'test/reconciliation/classes.spec.ts';
const IMPORT_SPEC = 'test/reconciliation/import.spec.ts';

/** Errors about the processor's report: what of it is read, and how closely it is held against the books. */
export const RECONCILIATION_MUTANTS: readonly Mutant[] = [
  {
    id: 'm26a',
    kind: 'list',
    what: 'reconciliation passes over lines that it cannot match',
    patches: [
      {
        file: 'libs/reconciliation/src/compare-charges.sql.ts',
        find: "    WHERE kind <> 'missing_here' OR created_at",
        put: "    WHERE kind <> 'missing_here' OR NULL::timestamptz",
      },
    ],
    checks: [spec(CLASSES_SPEC, 'missing_here (foreign)')],
  },
  {
    id: 'm26b',
    kind: 'list',
    what: 'reconciliation takes amounts for equal that differ by one',
    patches: [
      {
        file: 'libs/reconciliation/src/apart.sql.ts',
        find: 'OR l.gross <> o.${amount} OR',
        put: 'OR abs(l.gross - o.${amount}) > 1 OR',
      },
    ],
    checks: [spec(CLASSES_SPEC, 'amount (cent)')],
  },
  {
    id: 'm27',
    kind: 'list',
    what: 'a settlement report that is loaded twice counts twice',
    patches: [
      {
        file: 'libs/reconciliation/src/import.sql.ts',
        find: 'AND report_date = $2::date AND file_sha256 = $3::text`',
        put: 'AND report_date = $2::date AND file_sha256 = $3::text AND false`',
      },
      {
        file: 'migrations/0020-settlement-reports.sql',
        find: 'CONSTRAINT report_imports_once UNIQUE (processor_name, report_date, file_sha256)',
        put: 'CONSTRAINT report_imports_lines CHECK (lines >= 0)',
      },
    ],
    checks: [
      spec(IMPORT_SPEC, 'is one import however often it is read, its lines kept as they stood'),
    ],
  },
];
