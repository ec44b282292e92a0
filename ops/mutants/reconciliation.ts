import { type Mutant, spec } from './mutant.js';

const CLASSES_SPEC = 'test/reconciliation/classes.spec.ts';
const IMPORT_SPEC = 'test/reconciliation/import.spec.ts';
const PAYOUTS_SPEC = 'test/reconciliation/payouts.spec.ts';

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
  {
    id: 'd24',
    kind: 'design',
    what: 'a payout is booked that is not the sum of its lines',
    patches: [
      {
        file: 'libs/reconciliation/src/payouts.sql.ts',
        find: "AND f.kind = 'payout_sum' AND f.reference = l.source_id",
        put: "AND f.kind = 'payout_sum' AND f.reference = l.transaction_id",
      },
    ],
    checks: [spec(PAYOUTS_SPEC, 'that is not the sum of its lines is not booked')],
  },
  {
    id: 'd25',
    kind: 'design',
    what: 'what a payout brought of a payment is booked while a difference of it is open',
    patches: [
      {
        file: 'libs/reconciliation/src/payouts.sql.ts',
        find: 't.net <> 0 AND NOT t.differs',
        put: 't.net <> 0',
      },
    ],
    checks: [spec(PAYOUTS_SPEC, 'waits where the amount of a payment differs')],
  },
  {
    id: 'd26',
    kind: 'design',
    what: 'the fee of a second charge is taken for that of the first',
    patches: [
      {
        file: 'libs/reconciliation/src/ours.sql.ts',
        find: 'THEN p.id ELSE b.id END',
        put: 'THEN p.id ELSE p.id END',
      },
    ],
    checks: [
      spec(
        'test/promises/p11-the-report-and-our-books.spec.ts',
        'the fee of a second charge that only the report tells',
      ),
    ],
  },
];
