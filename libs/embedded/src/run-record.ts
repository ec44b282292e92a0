import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runHolder } from './run-lock.js';

/** Where a running start can be reached; other commands find it here. */
export interface RunRecord {
  pid: number;
  apiUrl: string;
  /** Null when another processor is configured. */
  mockUrl: string | null;
  /** The owner's address of the embedded database; null when `DATABASE_URL` named another. */
  databaseUrl: string | null;
}

const FILE = 'run.json';

export function writeRunRecord(home: string, record: RunRecord): void {
  const file = join(home, FILE);
  // It holds the owner's password, so nobody else may read it.
  writeFileSync(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** The last run's record, also when that run has ended. */
export function lastRunRecord(home: string): RunRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(home, FILE), 'utf8')) as RunRecord;
  } catch {
    return undefined;
  }
}

/** The record of the start that runs now. */
export function currentRunRecord(home: string): RunRecord | undefined {
  const record = lastRunRecord(home);
  return record && record.pid === runHolder(home) ? record : undefined;
}
