import { statement } from '#postgres/statement.js';

export type GuardRow = {
  table_name: string;
  trigger_name: string;
  /** `A` for ENABLE ALWAYS; null if the trigger is not there. */
  enabled: string | null;
  definition: string | null;
  body: string | null;
};

/** The triggers that promises rest on, as the server has them now; partitions are asked like tables. */
export const READ_GUARDS = statement<GuardRow>(
  'verify.read_guards',
  `SELECT c.oid::regclass::text AS table_name, wanted.trigger_name, g.tgenabled::text AS enabled,
          pg_get_triggerdef(g.oid) AS definition, p.prosrc AS body
     FROM unnest($1::text[], $2::text[]) AS wanted (table_name, trigger_name)
     JOIN pg_class c
       ON c.oid = to_regclass(wanted.table_name)
       OR c.oid IN (SELECT relid FROM pg_partition_tree(to_regclass(wanted.table_name)))
     LEFT JOIN pg_trigger g ON g.tgrelid = c.oid AND g.tgname = wanted.trigger_name
     LEFT JOIN pg_proc p ON p.oid = g.tgfoid
    ORDER BY 1, 2`,
);

/** Other triggers and rules on tables that only grow: they could change a row on its way in, or swallow it. */
export const READ_STRANGERS = statement<{ table_name: string; name: string }>(
  'verify.read_strangers',
  `SELECT tgrelid::regclass::text AS table_name, tgname::text AS name
     FROM pg_trigger
    WHERE (tgrelid = ANY ($2::regclass[])
           OR tgrelid IN (SELECT relid FROM pg_partition_tree('ledger_entries'::regclass)))
      AND NOT tgisinternal AND tgname <> ALL ($1::text[])
    UNION ALL
   SELECT ev_class::regclass::text, rulename::text
     FROM pg_rewrite
    WHERE ev_class = ANY ($2::regclass[])
       OR ev_class IN (SELECT relid FROM pg_partition_tree('ledger_entries'::regclass))
    ORDER BY 1, 2`,
);

/** Who may do more to a guarded table than its services need; owners are in the answer of READ_OWNERS. */
export const READ_RIGHTS = statement<{ table_name: string; role: string; privilege: string }>(
  'verify.read_rights',
  `SELECT c.oid::regclass::text AS table_name,
          CASE WHEN a.grantee = 0 THEN 'everybody' ELSE pg_get_userbyid(a.grantee)::text END AS role,
          a.privilege_type AS privilege
     FROM unnest($1::text[]) AS wanted (table_name)
     JOIN pg_class c
       ON c.oid = to_regclass(wanted.table_name)
       OR c.oid IN (SELECT relid FROM pg_partition_tree(to_regclass(wanted.table_name)))
     CROSS JOIN LATERAL aclexplode(c.relacl) AS a
    WHERE a.grantee <> c.relowner
    UNION
   SELECT c.oid::regclass::text, pg_get_userbyid(a.grantee)::text, a.privilege_type
     FROM unnest($1::text[]) AS wanted (table_name)
     JOIN pg_attribute c_a ON c_a.attrelid = to_regclass(wanted.table_name)
     JOIN pg_class c ON c.oid = c_a.attrelid
     CROSS JOIN LATERAL aclexplode(c_a.attacl) AS a
    WHERE a.grantee <> c.relowner
    ORDER BY 1, 2, 3`,
);

/** Login roles, other than the owner of the ledger and superusers, that own a guarded table or belong to who does. */
export const READ_OWNERS = statement<{ table_name: string; role: string }>(
  'verify.read_owners',
  `SELECT c.oid::regclass::text AS table_name, r.rolname::text AS role
     FROM unnest($1::text[]) AS wanted (table_name)
     JOIN pg_class c ON c.oid = to_regclass(wanted.table_name)
     JOIN pg_roles r ON r.rolname = ANY ($2::text[]) AND pg_has_role(r.oid, c.relowner, 'MEMBER')
    ORDER BY 1, 2`,
);

export type DifferenceRow = {
  account_id: string;
  payment_id: string;
  entry_id: string | null;
  what: string;
};

/** Kinds by which a payment's money is the merchant's. */
const CAPTURES = `('charge', 'capture', 'late_success_accepted')`;

/** Payments against the ledger, both ways, and each row by itself. */
export const COMPARE_BOOKS = statement<DifferenceRow>(
  'verify.compare_books',
  `SELECT p.account_id, p.id AS payment_id, NULL::uuid AS entry_id,
          'the payment succeeded, and the ledger has no charge of it' AS what
     FROM payments p
    WHERE p.status = 'succeeded'
      AND NOT EXISTS (
            SELECT 1 FROM ledger_entries e
             WHERE e.account_id = p.account_id AND e.payment_id = p.id AND e.entry_kind IN ${CAPTURES})
    UNION ALL
   SELECT e.account_id, e.payment_id, e.id,
          CASE
            WHEN p.id IS NULL THEN 'the row belongs to no payment'
            WHEN e.entry_kind IN ${CAPTURES} AND p.status <> 'succeeded' THEN 'the payment is ' || p.status || ', and the ledger has a row of it'
            WHEN e.currency <> p.currency
              THEN 'the row is in ' || e.currency || ', the payment in ' || p.currency
            WHEN e.entry_kind IN ${CAPTURES} AND e.amount <> p.amount_captured
              THEN 'the row says ' || e.amount || ', the payment captured ' || p.amount_captured
            WHEN e.entry_kind IN ('charge', 'processor_fee') AND e.source_id <> e.payment_id
              THEN 'the row names another source than its payment'
            WHEN k.debit IS NULL THEN 'the kind ' || e.entry_kind || ' is not known'
            ELSE 'a ' || e.entry_kind || ' goes from ' || k.credit || ' to ' || k.debit
          END
     FROM ledger_entries e
     LEFT JOIN payments p ON p.account_id = e.account_id AND p.id = e.payment_id
     LEFT JOIN unnest($1::text[], $2::text[], $3::text[]) AS k (kind, debit, credit) ON k.kind = e.entry_kind
    WHERE p.id IS NULL
       OR (e.entry_kind IN ${CAPTURES} AND p.status <> 'succeeded')
       OR e.currency <> p.currency
       OR (e.entry_kind IN ${CAPTURES} AND e.amount <> p.amount_captured)
       OR (e.entry_kind IN ('charge', 'processor_fee') AND e.source_id <> e.payment_id)
       OR k.debit IS NULL OR e.debit_account <> k.debit OR e.credit_account <> k.credit
    UNION ALL
   SELECT account_id, payment_id, NULL, count(*) || ' rows of the kind ' || entry_kind || ' for one source'
     FROM ledger_entries
    GROUP BY account_id, payment_id, entry_kind, source_id
   HAVING count(*) > 1
    UNION ALL
   SELECT account_id, payment_id, NULL,
          'its refunds are ' || coalesce(taken, 0) || ', and the ledger has ' || coalesce(booked, 0)
     FROM (SELECT account_id, payment_id, sum(CASE entry_kind WHEN 'refund' THEN amount ELSE -amount END) AS booked
             FROM ledger_entries WHERE entry_kind IN ('refund', 'refund_failed')
            GROUP BY account_id, payment_id) AS l
     FULL JOIN (SELECT account_id, payment_id, sum(amount) AS taken
                  FROM refunds
                 WHERE break_id IS NULL AND status <> 'failed' AND processor_id IS NOT NULL
                 GROUP BY account_id, payment_id) AS r USING (account_id, payment_id)
    WHERE coalesce(booked, 0) <> coalesce(taken, 0)
    UNION ALL
   SELECT account_id, payment_id, NULL,
          'its disputes are ' || coalesce(standing, 0) || ', and the ledger has ' || coalesce(booked, 0)
     FROM (SELECT account_id, payment_id, sum(CASE entry_kind WHEN 'dispute_won' THEN -amount ELSE amount END) AS booked
             FROM ledger_entries WHERE entry_kind IN ('dispute', 'dispute_won', 'dispute_excess_settled')
            GROUP BY account_id, payment_id) AS l
     FULL JOIN (SELECT account_id, payment_id,
                       coalesce(sum(amount) FILTER (WHERE status IN ('open', 'lost')), 0) - sum(excess) AS standing
                  FROM disputes GROUP BY account_id, payment_id) AS d USING (account_id, payment_id)
    WHERE coalesce(booked, 0) <> coalesce(standing, 0)
    ORDER BY 1, 2`,
);

/** What the ledger says as a whole, read in the order of the trial balance. */
export const READ_BALANCES = statement<{
  account_id: string;
  currency: string;
  entries: number;
  debits: string;
  credits: string;
}>(
  'verify.read_balances',
  `SELECT account_id, currency, count(*)::int / 2 AS entries,
          coalesce(sum(amount) FILTER (WHERE side = 'debit'), 0)::text AS debits,
          coalesce(sum(amount) FILTER (WHERE side = 'credit'), 0)::text AS credits
     FROM ledger_entries
     CROSS JOIN LATERAL (VALUES ('debit', debit_account), ('credit', credit_account)) AS leg (side, name)
    GROUP BY account_id, currency
    ORDER BY account_id, currency`,
);
