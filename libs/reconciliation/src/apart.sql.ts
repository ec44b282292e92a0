import { statement } from '#postgres/statement.js';
import { DAY_END, DAY_START, isApart, ourCharges, ourSteps } from './ours.sql.js';

/**
 * What does not agree, set apart in one pass over both sides: of a day of a million lines some hundreds. All that
 * follows looks at these alone. Tables of the session, which nobody else sees and which end with it.
 */
export const MAKE_APART = [
  `CREATE TEMP TABLE lines_apart (
     line integer, category text, created_at timestamptz, currency text, gross bigint, fee bigint, source_id text,
     payment_ref text, account_ref uuid, intent_ref uuid)`,
  `CREATE TEMP TABLE references_apart (category text, reference text)`,
  `CREATE INDEX references_apart_by_reference ON references_apart (reference, category)`,
  `CREATE TEMP TABLE our_charges (
     account_id uuid, payment_id uuid, reference text, amount bigint, currency text, earliest timestamptz,
     latest timestamptz, fee_source uuid, fee bigint)`,
  `CREATE TEMP TABLE our_steps (
     account_id uuid, payment_id uuid, reference text, category text, gross bigint, currency text, fee bigint,
     earliest timestamptz, latest timestamptz)`,
].map(unregistered);

/** What is known of them, for the plans of what follows. */
export const COUNT_APART = unregistered(
  'ANALYZE lines_apart, references_apart, our_charges, our_steps',
);

/** Neither can be prepared, which the test of all statements does. */
function unregistered(text: string) {
  return { name: '', text };
}

const LINE =
  'line, category, created_at, currency, gross, fee, source_id, payment_ref, account_ref, intent_ref';
const CHARGE =
  'account_id, payment_id, reference, amount, currency, earliest, latest, fee_source, fee';
const STEP = 'account_id, payment_id, reference, category, gross, currency, fee, earliest, latest';

/** Charges with the fee that is booked. */
const withFee = (charges: string) => `
  SELECT c.account_id, c.payment_id, c.reference, c.amount, c.currency, c.earliest, c.latest, c.fee_source,
         coalesce(f.amount, 0) AS fee
    FROM (${charges}) AS c
    LEFT JOIN ledger_entries f
      ON f.account_id = c.account_id AND f.payment_id = c.payment_id AND f.source_id = c.fee_source
     AND f.entry_kind IN ('processor_fee', 'late_success_fee')`;

/** A pair of a line and a movement of ours that may be a difference, or either without the other. */
const IS_APART = (amount: string) => `
         o.payment_id IS NULL
      OR l.line IS NULL AND o.latest >= ${DAY_START} AND o.earliest < ${DAY_END}
      OR l.gross <> o.${amount} OR l.currency <> o.currency OR l.fee <> o.fee
      OR l.created_at < ${DAY_START} OR l.created_at >= ${DAY_END}
      OR ${isApart('l.created_at', 'o.earliest', 'o.latest')}`;

type Movements = {
  /** Which lines of the report (`$1`) tell of them, and ours (`$3`). */
  lines: string;
  ours: string;
  isSame: string;
  amount: string;
  /** Category and reference of a pair, ours or theirs. */
  named: string;
  table: string;
  columns: string;
};

/** Each column of a pair by its own name: a row as one value would be carried through the join beside its columns. */
const sideOf = (pair: string, side: string, columns: string) =>
  columns.replaceAll(/\w+/g, (column) => `${pair}.${column} AS ${side}_${column}`);
const columnsOf = (side: string, columns: string) => columns.replaceAll(/\w+/g, `${side}_$&`);

const settingApart = ({ lines, ours, isSame, amount, named, table, columns }: Movements) => `
   WITH line AS (
     SELECT ${LINE}
       FROM report_lines
      WHERE import_id = $1::uuid AND ${lines}
   ), ours AS (${ours}
   ), pair AS MATERIALIZED (
     SELECT ${sideOf('l', 'their', LINE)}, ${sideOf('o', 'our', columns)}
       FROM ours o
       FULL JOIN line l ON ${isSame}
      WHERE ${IS_APART(amount)}
   ), kept_lines AS (
     INSERT INTO lines_apart (${LINE})
     SELECT DISTINCT ${columnsOf('their', LINE)}
       FROM pair
      WHERE their_line IS NOT NULL
   ), kept_references AS (
     INSERT INTO references_apart (category, reference)
     SELECT DISTINCT ${named}
       FROM pair
   )
   INSERT INTO ${table} (${columns})
   SELECT DISTINCT ${columnsOf('our', columns)}
     FROM pair
    WHERE our_payment_id IS NOT NULL`;

/** Charges, where report and books do not agree. */
export const SET_CHARGES_APART = statement(
  'reconciliation.set_charges_apart',
  settingApart({
    lines: `category = 'charge'`,
    ours: withFee(ourCharges('$3')),
    isSame: 'l.payment_ref = o.reference',
    amount: 'amount',
    named: `'charge', coalesce(our_reference, their_payment_ref)`,
    table: 'our_charges',
    columns: CHARGE,
  }),
);

/** The same of refunds and disputes. */
export const SET_STEPS_APART = statement(
  'reconciliation.set_steps_apart',
  settingApart({
    lines: `category IN ('refund', 'refund_failure', 'dispute', 'dispute_reversal')`,
    ours: `
     SELECT ${STEP}
       FROM (${ourSteps('$3')}) AS s`,
    isSame: 'l.category = o.category AND l.source_id = o.reference',
    amount: 'gross',
    named: 'coalesce(our_category, their_category), coalesce(our_reference, their_source_id)',
    table: 'our_steps',
    columns: STEP,
  }),
);

/**
 * What was set apart of ours, as it is now: a repair has changed it. Of a dispute that was won, the loss may agree and
 * its line be no more here: what is looked at again is of the same category.
 */
export const LOOK_AGAIN = [
  statement(
    'reconciliation.look_again_at_charges',
    `WITH gone AS (DELETE FROM our_charges)
     INSERT INTO our_charges (${CHARGE})${withFee(ourCharges('$1', `references_apart WHERE category = 'charge'`))}`,
  ),
  statement(
    'reconciliation.look_again_at_steps',
    `WITH gone AS (DELETE FROM our_steps)
     INSERT INTO our_steps (${STEP})
     SELECT ${STEP}
       FROM (${ourSteps('$1', 'references_apart')}) AS s
      WHERE (category, reference) IN (SELECT category, reference FROM references_apart)`,
  ),
];
