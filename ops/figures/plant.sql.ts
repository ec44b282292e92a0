import { statement } from '#postgres/statement.js';

/** Rows are copied from one that the system wrote itself, so that they are right whatever a table has come to hold. */
export const FIND_SAMPLE = statement<Sample>(
  'figures.find_sample',
  `SELECT k.account_id, k.key_hash, k.payment_id, k.operation_id
     FROM idempotency_keys k
     JOIN payments p ON p.account_id = k.account_id AND p.id = k.payment_id
    WHERE k.state = 'finished' AND p.status = 'succeeded' AND p.payment_method = 'pm_123'
    LIMIT 1`,
);
export type Sample = {
  account_id: string;
  key_hash: Buffer;
  payment_id: string;
  operation_id: string;
};

export const READ_COLUMNS = statement<{ name: string }>(
  'figures.read_columns',
  `SELECT quote_ident(attname) AS name
     FROM pg_attribute
    WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
    ORDER BY attnum`,
);

/** Copies the sample of a table once for each row of `from`, with other values in some columns. */
function copiesOf(
  table: string,
  columns: readonly string[],
  { from, where, changed }: { from: string; where: string; changed: Record<string, string> },
): string {
  const values = columns.map((column) => changed[column] ?? `sample.${column}`);
  return `INSERT INTO ${table} (${columns.join(', ')})
          SELECT ${values.join(', ')} FROM ${from}, ${table} AS sample WHERE ${where}`;
}

/** Foreign keys are not checked in this session: the finished keys have no payments. */
export const WITHOUT_FOREIGN_KEYS = 'SET session_replication_role = replica';

/**
 * Finished keys number $1 to $2, $4 milliseconds apart from the instant $3 on.
 * $5 and $6 are the sample's.
 */
export const finishedKeys = (columns: readonly string[]) =>
  copiesOf('idempotency_keys', columns, {
    from: 'generate_series($1::bigint, $2::bigint) AS n',
    where: 'sample.account_id = $5::uuid AND sample.key_hash = $6::bytea',
    changed: {
      key_hash: 'sha256(int8send(n))',
      claim_id: `payonce_uuid_v7_floor($3::timestamptz + n * $4::int * interval '1 ms')`,
      payment_id: 'payonce_random_uuid()',
      operation_id: 'payonce_random_uuid()',
    },
  });

/** What one planted payment is known by, in a table of the session's own. */
export const MAKE_PLANTED = `
  CREATE TEMP TABLE planted (
    claim_id uuid, key_hash bytea, payment_id uuid, operation_id uuid, locked_until timestamptz, owner int)`;

/** $1 of them, claimed $3 milliseconds apart from $2 on, leased for $4 milliseconds by $5. */
export const FILL_PLANTED = `
  INSERT INTO planted
  SELECT payonce_uuid_v7_floor($2::timestamptz + n * $3::int * interval '1 ms'),
         sha256(uuid_send(payonce_random_uuid())), payonce_uuid_v7(), payonce_uuid_v7(),
         payonce_now() + $4::int * interval '1 ms', $5::int
    FROM generate_series(1, $1::int) AS n`;

/** The rows of payments whose first send has no known outcome. $1 to $3 are the sample's account and ids. */
export const UNKNOWN_ROWS: Record<string, (columns: readonly string[]) => string> = {
  payments: (columns) =>
    copiesOf('payments', columns, {
      from: 'planted',
      where: 'sample.account_id = $1::uuid AND sample.id = $2::uuid AND $3::uuid IS NOT NULL',
      changed: {
        id: 'planted.payment_id',
        status: `'pending'`,
        amount_captured: '0',
        processor_id: 'NULL',
        settled_at: 'NULL',
        event_sequence: '0',
        order_id: 'NULL',
        created_at: 'payonce_now()',
      },
    }),
  operations: (columns) =>
    copiesOf('operations', columns, {
      from: 'planted',
      where: 'sample.account_id = $1::uuid AND sample.id = $3::uuid AND $2::uuid IS NOT NULL',
      changed: {
        id: 'planted.operation_id',
        payment_id: 'planted.payment_id',
        key_hash: 'planted.key_hash',
        processor_key: 'payonce_random_uuid()',
        attempts_made: '1',
        send_until: `payonce_now() + interval '12 hours'`,
        created_at: 'payonce_now()',
      },
    }),
  attempts: (columns) =>
    copiesOf('attempts', columns, {
      from: 'planted',
      where:
        'sample.account_id = $1::uuid AND sample.operation_id = $3::uuid AND $2::uuid IS NOT NULL AND sample.attempt_no = 1',
      changed: {
        operation_id: 'planted.operation_id',
        opened_at: 'payonce_now()',
        outcome: `'unknown'`,
        detail: `'planted'`,
        closed_at: 'payonce_now()',
      },
    }),
  idempotency_keys: (columns) =>
    copiesOf('idempotency_keys', columns, {
      from: 'planted',
      where:
        'sample.account_id = $1::uuid AND sample.payment_id = $2::uuid AND sample.operation_id = $3::uuid',
      changed: {
        key_hash: 'planted.key_hash',
        claim_id: 'planted.claim_id',
        state: `'started'`,
        locked_until: 'planted.locked_until',
        lease_token: 'payonce_random_uuid()',
        owner: 'planted.owner',
        payment_id: 'planted.payment_id',
        operation_id: 'planted.operation_id',
        answer_day: 'NULL',
        claimed_at: 'payonce_now()',
        ends_at: `payonce_now() + interval '7 days'`,
      },
    }),
};

/** Notes the planted ones for recovery, due in $2 milliseconds. */
export const NOTE_PLANTED = `
  INSERT INTO unresolved (account_id, key_hash, claim_id, payment_id, reason, next_try_at, since)
  SELECT $1::uuid, key_hash, claim_id, payment_id, 'planted', payonce_now() + $2::int * interval '1 ms', payonce_now()
    FROM planted`;

export const DROP_PLANTED = 'DROP TABLE planted';

export const MAKE_DUE = statement('figures.make_due', 'UPDATE unresolved SET next_try_at = $1');

/** Everything before the instant has been walked past. */
export const SET_MARK = statement(
  'figures.set_mark',
  `UPDATE sweep_marks SET mark = payonce_uuid_v7_floor($1::timestamptz) WHERE name = 'leases'`,
);

export const VACUUM_KEYS = 'VACUUM (ANALYZE) idempotency_keys';

/** Must be none: an index on either would end HOT updates of the key row. */
export const FIND_INDEXES_ON_STATE = statement<{ name: string }>(
  'figures.find_indexes_on_state',
  `SELECT indexname AS name
     FROM pg_indexes
    WHERE tablename = 'idempotency_keys' AND indexdef ~ '\\m(state|locked_until)\\M'`,
);

/** The plan of a statement as it runs for the thousandth time, executed, and undone by the caller. */
export const PREPARE_PLAN = (text: string) => `PREPARE figures_plan AS ${text}`;
export const FORCE_GENERIC_PLAN = 'SET LOCAL plan_cache_mode = force_generic_plan';
export const EXPLAIN_PLAN = (values: readonly (string | number)[]) => {
  const literals = values.map((value) => (typeof value === 'number' ? value : `'${value}'`));
  const list = literals.length === 0 ? '' : `(${literals.join(', ')})`;
  return `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE figures_plan${list}`;
};
export const FORGET_PLAN = 'DEALLOCATE figures_plan';
