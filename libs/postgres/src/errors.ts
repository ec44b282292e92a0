import { DatabaseError } from 'pg';

/** No connection could be had: the statement was never sent, nothing happened. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('The database cannot be reached', { cause });
  }
}

/**
 * The statement was sent and its answer never came (reset, time-out, server going down): it may have
 * committed, it may not have, and it may yet. Nobody may conclude anything from this error; the only
 * way on is to look by business key on a new connection.
 */
export class StatementUnconfirmed extends Error {
  constructor(cause: unknown) {
    super('The database did not confirm the statement', { cause });
  }
}

/** The name of the constraint that refused the statement, or null for any other error. */
export function violatedConstraint(error: unknown): string | null {
  return error instanceof DatabaseError ? (error.constraint ?? null) : null;
}

/**
 * Whether the server itself refused the statement and rolled it back. Only an ERROR says so: a FATAL or
 * PANIC ends the session, and may overtake the confirmation of a commit that took place.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === 'ERROR' && !endsSession(error.code);
}

/** A service that speaks PostgreSQL may lack a function, or keep it to itself. */
export function isNotOffered(error: unknown): boolean {
  return isRefusal(error) && NOT_OFFERED.test((error as DatabaseError).code ?? '');
}

/** Feature not supported; not in the state for it; no such function; no right to it. */
const NOT_OFFERED = /^(0A000|55000|42883|42501)$/;

/** Rolled back by the server, and worth trying again as a whole: a deadlock or a serialization failure. */
export function isWorthRepeating(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40P01' || error.code === '40001');
}

/** The server has no time or room for this statement now: a limit of ours, or of its own. */
export function isOverload(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  const code = error.code ?? '';
  return code === '57014' || code === '55P03' || code.startsWith('53');
}

/**
 * What the driver said, out of TypeORM's wrapping: reads that go through it throw the driver's errors,
 * where `Db` throws our own.
 */
export function driverErrorOf(error: unknown): unknown {
  return (error as { driverError?: unknown } | null)?.driverError ?? error;
}

/** Whether the driver lost its connection, or got none. It has codes for the system's errors only. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DatabaseError) return endsSession(error.code);
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return /^E[A-Z]+$/.test(code ?? '') || CONNECTION_LOST.test(error.message);
}

const CONNECTION_LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout)/;

function endsSession(code: string | undefined): boolean {
  return code !== undefined && (code.startsWith('08') || code.startsWith('57P'));
}
