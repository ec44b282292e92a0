import { Pool } from 'pg';

/**
 * Limits of a session, in milliseconds. The server's own come first; the client's is the back-stop for a
 * server that no longer answers at all. The lease arithmetic (`lease-arithmetic.ts`) counts on them.
 */
export const SESSION_LIMITS = {
  connectMs: 2_000,
  statementMs: 5_000,
  lockMs: 4_000,
  idleInTransactionMs: 5_000,
  clientCheckMs: 500,
  queryMs: 6_000,
} as const;

export type PoolOptions = {
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  connectionsMax: number;
  /** For commands that read everything: statements take as long as they take. */
  patient?: boolean;
  /** Called for an idle connection that broke; without a listener the process would die of it. */
  onIdleError: (error: Error) => void;
};

/** Opens no connection yet. Errors on COMMIT and idle errors are the caller's to hear. */
export function openPool(options: PoolOptions): Pool {
  const { url, applicationName, connectionsMax, patient, onIdleError } = options;
  const pool = new Pool({
    connectionString: url,
    application_name: applicationName,
    ...sessionOptions(connectionsMax),
    ...(patient === true ? { query_timeout: 0, statement_timeout: 0 } : {}),
  });
  pool.on('error', onIdleError);
  return pool;
}

/** Limits go out with each connection, so that they hold whatever its role says. */
export function sessionOptions(connectionsMax: number) {
  return {
    max: connectionsMax,
    connectionTimeoutMillis: SESSION_LIMITS.connectMs,
    query_timeout: SESSION_LIMITS.queryMs,
    statement_timeout: SESSION_LIMITS.statementMs,
    lock_timeout: SESSION_LIMITS.lockMs,
    idle_in_transaction_session_timeout: SESSION_LIMITS.idleInTransactionMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  };
}
