import { statement } from './statement.js';

export type BootFacts = {
  server_version: number;
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
  answers_days: number;
  owns_ledger: boolean;
  statement_timeout: string;
};

/** What a process wants to know of its database before it serves anybody. */
export const READ_BOOT_FACTS = statement<BootFacts>(
  'postgres.read_boot_facts',
  `SELECT current_setting('server_version_num')::int AS server_version,
          current_setting('fsync') AS fsync,
          current_setting('full_page_writes') AS full_page_writes,
          current_setting('synchronous_commit') AS synchronous_commit,
          (SELECT answers_days FROM settings) AS answers_days,
          (SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class WHERE oid = 'ledger_entries'::regclass)
            AS owns_ledger,
          current_setting('statement_timeout') AS statement_timeout`,
);

export const PING = statement<{ ok: number }>('postgres.ping', 'SELECT 1 AS ok');
