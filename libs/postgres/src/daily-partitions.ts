import { setTimeout as pause } from 'node:timers/promises';

/**
 * Daily range partitions, by UTC day: made ahead by CREATE LIKE and ATTACH (`PARTITION OF` would lock
 * the parent against every insert), dropped by DETACH CONCURRENTLY, so that neither stops a claim.
 */

/** A session of a pg client or of TypeORM, outside a transaction. */
export type Session = { query(text: string, values?: unknown[]): Promise<unknown> };

/** A fresh database starts with so many days, and the worker keeps as many ahead. */
export const PARTITION_DAYS_AHEAD = 7;

const PARTITION_LOCK = 72_617;
const TURN_POLL_MS = 100;

/** The UTC days (`2026-12-01`) from `first` to `last` days after today, by the database's clock. */
export async function daysAhead(session: Session, first: number, last: number): Promise<string[]> {
  const found = await rows<{ day: string }>(
    session,
    `SELECT ((payonce_now() AT TIME ZONE 'UTC')::date + n)::text AS day
       FROM generate_series($1::int, $2::int) AS n`,
    [first, last],
  );
  return found.map(({ day }) => day);
}

/** Makes the partitions of these days that do not exist yet. Makers and droppers at once are safe. */
export async function makePartitions(
  session: Session,
  parent: string,
  days: readonly string[],
): Promise<string[]> {
  if ((await missingDays(session, parent, days)).length === 0) return [];
  return inTurn(session, async () => {
    const missing = await missingDays(session, parent, days);
    for (const day of missing) await attachDay(session, parent, day);
    return missing;
  });
}

/** Drops every partition whose day is before `firstKept`, and finishes what an interrupted run left. */
export async function dropPartitions(
  session: Session,
  parent: string,
  firstKept: string,
): Promise<string[]> {
  if ((await partitionsBefore(session, parent, firstKept)).length === 0) return [];
  return inTurn(session, async () => {
    const old = await partitionsBefore(session, parent, firstKept);
    for (const { name, attached, pending } of old) {
      const how = pending ? 'FINALIZE' : 'CONCURRENTLY';
      if (attached) await session.query(`ALTER TABLE ${parent} DETACH PARTITION ${name} ${how}`);
      await session.query(`DROP TABLE ${name}`);
    }
    return old.map(({ name }) => name);
  });
}

/**
 * One session at a time works on partitions. The others poll: a session that waits inside a statement
 * would hold the snapshot that DETACH waits for, and the two would wait for each other.
 */
async function inTurn<T>(session: Session, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const [turn] = await rows<{ ours: boolean }>(
      session,
      'SELECT pg_try_advisory_lock($1::bigint) AS ours',
      [PARTITION_LOCK],
    );
    if (turn?.ours) break;
    await pause(TURN_POLL_MS);
  }
  try {
    return await work();
  } finally {
    await session.query('SELECT pg_advisory_unlock($1::bigint)', [PARTITION_LOCK]);
  }
}

/**
 * Complete, or not there at all. All partitions belong to the parent's owner, whoever made them: else
 * another maker could not drop them.
 */
async function attachDay(session: Session, parent: string, day: string): Promise<void> {
  const name = partitionName(parent, day);
  const [owner] = await rows<{ owner: string; mine: boolean }>(
    session,
    `SELECT quote_ident(pg_get_userbyid(relowner)) AS owner, pg_get_userbyid(relowner) = current_user AS mine
       FROM pg_class WHERE oid = $1::regclass`,
    [parent],
  );
  await session.query('BEGIN');
  try {
    await session.query(`CREATE TABLE IF NOT EXISTS ${name} (LIKE ${parent} INCLUDING ALL)`);
    if (owner && !owner.mine) await session.query(`ALTER TABLE ${name} OWNER TO ${owner.owner}`);
    await session.query(
      `ALTER TABLE ${parent} ATTACH PARTITION ${name} FOR VALUES FROM ('${day}') TO ('${dayAfter(day)}')`,
    );
    await session.query('COMMIT');
  } catch (error) {
    await session.query('ROLLBACK');
    throw error;
  }
}

async function missingDays(
  session: Session,
  parent: string,
  days: readonly string[],
): Promise<string[]> {
  const found = await rows<{ day: string }>(
    session,
    `SELECT day FROM unnest($2::text[], $3::text[]) AS wanted (day, name)
      WHERE NOT EXISTS (
              SELECT 1 FROM pg_inherits
               WHERE inhparent = $1::regclass AND inhrelid = to_regclass(wanted.name))`,
    [parent, days, days.map((day) => partitionName(parent, day))],
  );
  return found.map(({ day }) => day);
}

/** Partitions by name, attached or not: a crash between DETACH and DROP leaves a table that is not. */
async function partitionsBefore(session: Session, parent: string, firstKept: string) {
  return rows<{ name: string; attached: boolean; pending: boolean }>(
    session,
    `SELECT c.relname AS name, i.inhrelid IS NOT NULL AS attached, coalesce(i.inhdetachpending, false) AS pending
       FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = $1::regclass
      WHERE c.relkind = 'r'
        AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = $1::regclass)
        AND c.relname ~ ('^' || $2 || '_[0-9]{4}_[0-9]{2}_[0-9]{2}$')
        AND c.relname < $3
      ORDER BY c.relname`,
    [parent, parent, partitionName(parent, firstKept)],
  );
}

function partitionName(parent: string, day: string): string {
  return `${parent}_${day.replaceAll('-', '_')}`;
}

function dayAfter(day: string): string {
  const instant = Date.parse(`${day}T00:00:00Z`) + 86_400_000;
  return new Date(instant).toISOString().slice(0, 10); // tidy-allow: a calendar step, not the time of day
}

/** pg answers with an object that holds the rows, TypeORM with the rows themselves. */
async function rows<Row>(session: Session, text: string, values: unknown[]): Promise<Row[]> {
  const result = await session.query(text, values);
  return (Array.isArray(result) ? result : (result as { rows: Row[] }).rows) as Row[];
}
