import { BLOCK, SUMMARY, THIS_SERVER, summaryOf } from '#ledger/snapshots.sql.js';
import { statement } from '#postgres/statement.js';

export type SnapshotRow = {
  account_id: string;
  number: string;
  currency: string;
  entry_kind: string;
};

const KEY = ['account_id', 'number', 'currency', 'entry_kind', 'debit_account', 'credit_account'];
const SAID = [...SUMMARY, 'last_xid', 'last_entry'];
const rowOf = (name: string) => `ROW(${SAID.map((column) => `${name}.${column}`).join(', ')})`;

/** Every balance snapshot that readers believe, against the entries of its block, added up anew. */
export const CHECK_SNAPSHOTS = statement<SnapshotRow>(
  'verify.check_snapshots',
  `WITH link AS MATERIALIZED (
     SELECT (c.number + ${BLOCK - 1}) / ${BLOCK} * ${BLOCK} AS number, c.number AS place, e.id, e.account_id,
            e.currency, e.entry_kind, e.debit_account, e.credit_account, e.amount, e.recorded_at, e.effective_at, e.recorded_xid
       FROM ledger_chain c
       JOIN ledger_entries e ON e.account_id = c.account_id AND e.id = c.entry_id
   ), anew AS (
     SELECT summary.*, ending.recorded_xid AS last_xid, ending.id AS last_entry
       FROM (${summaryOf('link')}) AS summary
       JOIN link AS ending
         ON ending.account_id = summary.account_id AND ending.number = summary.number AND ending.place = summary.number
   )
   SELECT s.account_id, s.number, s.currency, s.entry_kind
     FROM ledger_snapshots s
     LEFT JOIN anew USING (${KEY.join(', ')})
    WHERE s.server = ${THIS_SERVER} AND ${rowOf('s')} IS DISTINCT FROM ${rowOf('anew')}
    ORDER BY 1, 2, 3, 4`,
);

export const COUNT_SNAPSHOTS = statement<{ blocks: string; foreign: string }>(
  'verify.count_snapshots',
  `SELECT count(DISTINCT (account_id, number)) FILTER (WHERE server = ${THIS_SERVER}) AS blocks,
          count(*) FILTER (WHERE server <> ${THIS_SERVER}) AS foreign
     FROM ledger_snapshots`,
);
