import type { Db } from '#postgres/db.js';
import {
  CHECK_KEYS,
  CHECK_LEDGER,
  CHECK_PAYMENTS,
  TAKE_NEWEST,
  TAKE_PAST,
  type ViolationRow,
} from './invariants.sql.js';

/** Claims that one pass looks at: new ones, and those whose turn it is again. */
const NEWEST_MAX = 250;
const PAST_MAX = 250;
/** Most are final by then, so that one look sees their end. A younger one would hold just as well. */
const SETTLING_MS = 60_000;
/** Violations that are remembered, and looked at again in each pass, at most. */
const REMEMBERED_MAX = 200;

/** A kind of ledger entry, and the two accounts that it moves money between. */
export type KnownKind = { kind: string; debit: string; credit: string };

export type Violation = {
  invariant: string;
  accountId: string;
  paymentId: string | null;
  operationId: string | null;
  claimId: string;
  /** What the rows say of it. */
  found: object;
};

/** What one worker remembers between passes: the violations that it has told of, by what they are about. */
export type InvariantWatch = Map<string, Violation>;

export const newInvariantWatch = (): InvariantWatch => new Map();

export type InvariantPass = {
  /** Claims that were looked at. */
  looked: number;
  /** Violations that this pass has seen. */
  violated: number;
  /** Those among them that nobody has been told of yet. */
  news: Violation[];
  /** Those that were told of and are there no more. */
  restored: Violation[];
  /** Violations that are neither told nor remembered, since too many are. */
  untold: number;
};

/**
 * One pass of the check that runs in production: a bounded number of claims, by the one index over time, and the
 * invariants of their keys, payments and ledger entries. What is wrong is told once for as long as it lasts.
 *
 * Every change is one commit, so each invariant holds in every snapshot: each group of them is one statement, which
 * sees one. Nothing is locked but a mark, and nothing is repaired.
 */
export async function checkInvariants(
  db: Db,
  watch: InvariantWatch,
  kinds: readonly KnownKind[],
): Promise<InvariantPass> {
  const claims = await takeClaims(db, watch);
  const seen = claims.length === 0 ? new Map() : await findViolations(db, claims, kinds);
  return compare(watch, seen, claims.length);
}

/** The marks move first: claims whose check failed come again by the slow walk, and stop nobody. */
async function takeClaims(db: Db, watch: InvariantWatch): Promise<string[]> {
  const newest = await db.run(TAKE_NEWEST, [SETTLING_MS, NEWEST_MAX]);
  const past = await db.run(TAKE_PAST, [SETTLING_MS, PAST_MAX]);
  const claims = new Set([...newest, ...past].map(({ claim_id }) => claim_id));
  for (const { claimId } of watch.values()) claims.add(claimId);
  return [...claims];
}

async function findViolations(
  db: Db,
  claims: readonly string[],
  kinds: readonly KnownKind[],
): Promise<Map<string, Violation>> {
  const known = [
    kinds.map(({ kind }) => kind),
    kinds.map(({ debit }) => debit),
    kinds.map(({ credit }) => credit),
  ];
  const ofKeys = await db.run(CHECK_KEYS, [claims]);
  const ofPayments = await db.run(CHECK_PAYMENTS, [claims]);
  const ofLedger = await db.run(CHECK_LEDGER, [claims, ...known]);
  return new Map([
    ...ofKeys.map((row) => [`${row.invariant} ${row.claim_id}`, violationOf(row)] as const),
    // Whichever of its claims led to a payment, it is one violation.
    ...[...ofPayments, ...ofLedger].map(
      (row) => [`${row.invariant} ${row.payment_id}`, violationOf(row)] as const,
    ),
  ]);
}

function violationOf(row: ViolationRow): Violation {
  return {
    invariant: row.invariant,
    accountId: row.account_id,
    paymentId: row.payment_id,
    operationId: row.operation_id,
    claimId: row.claim_id,
    found: row.found,
  };
}

function compare(
  watch: InvariantWatch,
  seen: ReadonlyMap<string, Violation>,
  looked: number,
): InvariantPass {
  const restored = [...watch].filter(([about]) => !seen.has(about));
  for (const [about] of restored) watch.delete(about);
  const unheard = [...seen].filter(([about]) => !watch.has(about));
  const told = unheard.slice(0, REMEMBERED_MAX - watch.size);
  for (const [about, violation] of told) watch.set(about, violation);
  return {
    looked,
    violated: seen.size,
    news: told.map(([, violation]) => violation),
    restored: restored.map(([, violation]) => violation),
    untold: unheard.length - told.length,
  };
}
