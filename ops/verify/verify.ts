import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRY_KINDS, type EntryKind, kindColumns } from '#ledger/entry-kinds.js';
import type { SigningKeys } from '#ledger/signing-keys.js';
import type { Db } from '#postgres/db.js';
import { migrationsFolder } from '#postgres/sql-migrations.js';
import { verifyChain } from './chain.js';
import { verifySnapshots } from './snapshots.js';
import {
  COMPARE_BOOKS,
  type GuardRow,
  READ_BALANCES,
  READ_GUARDS,
  READ_OWNERS,
  READ_RIGHTS,
  READ_STRANGERS,
} from './verify.sql.js';

export type Verdict = {
  /** What was tampered with, and where. */
  findings: string[];
  /** What was looked at, and what rests on less than it could. */
  notes: string[];
};

type Guard = { table: string; trigger: string; fires: RegExp; refuses: string };

/** Tables whose rows are only ever added, and the function that refuses everything else. */
const ONLY_GROW = {
  ledger_entries: 'ledger_refuse_change',
  ledger_chain: 'ledger_refuse_change',
  ledger_checkpoints: 'ledger_refuse_change',
  audit_log: 'audit_refuse_change',
};

const GUARDS: Guard[] = [
  ...Object.entries(ONLY_GROW).flatMap(([table, refuses]) => [
    {
      table,
      trigger: `${table}_no_change`,
      fires: / BEFORE DELETE OR UPDATE ON \S+ FOR EACH ROW EXECUTE FUNCTION \S+$/,
      refuses,
    },
    {
      table,
      trigger: `${table}_no_truncate`,
      fires: / BEFORE TRUNCATE ON \S+ FOR EACH STATEMENT EXECUTE FUNCTION \S+$/,
      refuses,
    },
  ]),
  {
    table: 'ledger_snapshots',
    trigger: 'ledger_snapshots_no_update',
    fires: / BEFORE UPDATE ON \S+ FOR EACH ROW EXECUTE FUNCTION \S+$/,
    refuses: 'ledger_refuse_change',
  },
  {
    table: 'payments',
    trigger: 'payments_only_forward',
    fires:
      / BEFORE UPDATE OF status ON \S+ FOR EACH ROW WHEN \(\(old.status IS DISTINCT FROM new.status\)\) EXECUTE FUNCTION \S+$/,
    refuses: 'payments_refuse_backward',
  },
];

/** What nobody but the owner may do, by table. */
const FORBIDDEN: Record<string, string[]> = {
  ...Object.fromEntries(
    Object.keys(ONLY_GROW).map((table) => [
      table,
      ['UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER', 'REFERENCES'],
    ]),
  ),
  ledger_shards: ['INSERT', 'DELETE', 'TRUNCATE', 'TRIGGER'],
  ledger_snapshots: ['UPDATE', 'TRIGGER'],
  payments: ['DELETE', 'TRUNCATE', 'TRIGGER'],
  idempotency_keys: ['DELETE', 'TRUNCATE', 'TRIGGER'],
};

/** Guards and rights come first: with them gone, balanced books prove nothing. @keeps P4 */
export async function verify(db: Db, serviceRoles: string[], keys: SigningKeys): Promise<Verdict> {
  const guards = await findFallenGuards(db);
  const rights = await findRightsTooMany(db, serviceRoles);
  const chain = await verifyChain(db, keys);
  const snapshots = await verifySnapshots(db);
  const books = await findDifferences(db);
  const parts = [rights, chain, snapshots, books];
  return {
    findings: [...guards, ...parts.flatMap(({ findings }) => findings)],
    notes: parts.flatMap(({ notes }) => notes),
  };
}

async function findFallenGuards(db: Db): Promise<string[]> {
  const rows = await db.run(READ_GUARDS, [
    GUARDS.map(({ table }) => table),
    GUARDS.map(({ trigger }) => trigger),
  ]);
  const findings = GUARDS.flatMap((guard) => {
    const found = rows.filter(({ trigger_name }) => trigger_name === guard.trigger);
    if (found.length === 0) return [`guards: the table ${guard.table} is gone`];
    return found.flatMap((row) => faultsOf(guard, row));
  });
  const strangers = await db.run(READ_STRANGERS, [
    GUARDS.map(({ trigger }) => trigger),
    Object.keys(ONLY_GROW),
  ]);
  return [
    ...findings,
    ...strangers.map(
      ({ table_name, name }) => `guards: ${table_name} has the foreign trigger or rule ${name}`,
    ),
  ];
}

function faultsOf({ trigger, fires, refuses }: Guard, row: GuardRow): string[] {
  const where = `guards: trigger ${trigger} on ${row.table_name}`;
  if (row.definition === null) return [`${where} is gone`];
  const faults: string[] = [];
  if (row.enabled !== 'A') {
    faults.push(row.enabled === 'D' ? `${where} is disabled` : `${where} is not ENABLE ALWAYS`);
  }
  if (!fires.test(row.definition) || !row.definition.endsWith(`${refuses}()`)) {
    faults.push(`${where} is another one: ${row.definition}`);
  }
  if (row.body !== migratedBody(refuses)) {
    faults.push(`${where}: the function ${refuses} has another body than the migrations gave it`);
  }
  return faults;
}

/** The body that the last migration to define a function gave it. */
function migratedBody(name: string): string | undefined {
  const folder = migrationsFolder();
  const texts = readdirSync(folder)
    .filter((file) => /^\d{4}-.+\.sql$/.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  const definition = new RegExp(
    `CREATE (?:OR REPLACE )?FUNCTION ${name}\\([^]*?AS \\$\\$([^]*?)\\$\\$`,
    'g',
  );
  return [...texts.join('\n').matchAll(definition)].at(-1)?.[1];
}

async function findRightsTooMany(db: Db, serviceRoles: string[]): Promise<Verdict> {
  const tables = Object.keys(FORBIDDEN);
  const rights = await db.run(READ_RIGHTS, [tables]);
  const tooMany = rights.filter(({ table_name, privilege }) => {
    const guarded = FORBIDDEN[table_name] ?? FORBIDDEN['ledger_entries'] ?? [];
    return guarded.includes(privilege);
  });
  const owners = await db.run(READ_OWNERS, [tables, serviceRoles]);
  const services = rights.filter(({ role }) => serviceRoles.includes(role));
  return {
    findings: [
      ...tooMany.map(
        ({ table_name, role, privilege }) => `rights: ${role} may ${privilege} on ${table_name}`,
      ),
      ...owners.map(
        ({ table_name, role }) => `rights: ${role} counts as an owner of ${table_name}`,
      ),
    ],
    notes:
      services.length > 0
        ? []
        : [
            'Services have no roles of their own here: that the ledger only grows rests on its trigger alone.',
          ],
  };
}

async function findDifferences(db: Db): Promise<Verdict> {
  const kinds = Object.keys(ENTRY_KINDS) as EntryKind[];
  const differences = await db.run(COMPARE_BOOKS, kindColumns(kinds));
  const balances = await db.run(READ_BALANCES, []);
  const unbalanced = balances.filter(({ debits, credits }) => debits !== credits);
  const entries = balances.reduce((sum, row) => sum + row.entries, 0);
  return {
    findings: [
      ...differences.map(({ account_id, payment_id, entry_id, what }) => {
        const row = entry_id === null ? '' : `, ledger row ${entry_id}`;
        return `balance: account ${account_id}, payment ${payment_id}${row}: ${what}`;
      }),
      ...unbalanced.map(
        (row) =>
          `balance: account ${row.account_id}, ${row.currency}: debits ${row.debits}, credits ${row.credits}`,
      ),
    ],
    notes: [
      `${entries} ledger rows in ${balances.length} ${balances.length === 1 ? 'balance' : 'balances'} (one for each account and currency).`,
    ],
  };
}
