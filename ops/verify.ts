import { roleUrls } from '#embedded/role-urls.js';
import { withDatabase } from '#embedded/with-database.js';
import { readConfig } from '#platform/config.js';
import { systemRandom } from '#seams/random.js';
import { refuseWords, runCommand } from './command.js';
import { onDatabase } from './on-database.js';
import { verify } from './verify/verify.js';

const HELP = `npm run verify

Finds out whether somebody has tampered with the books:

  guards    the triggers that let the ledger only grow and payments only move forward are there, cannot be
            put to sleep by a session, and do what the migrations say, on every partition too
  rights    no role but the owner may change, delete or truncate ledger rows or forget payments and keys,
            and the services' roles are neither owners nor members of one
  chain     every ledger row has its link in the hash chain, and every link its row, neither changed; nothing was
            put in between; the chains are what the signed checkpoints say (LEDGER_SIGNING_KEY)
  snapshots every balance snapshot is what the entries of its block add up to; one that is missing is no finding
  balance   every payment that succeeded has its charge in the ledger, with the same amount and currency,
            refunds and disputes are booked as they stand, and no row is of no payment; debits equal credits for each account and currency

What it cannot see: what an owner of the database did to rows that no checkpoint has been signed of yet, the last
minute's; and chains that were cut off behind an older checkpoint together with the newer ones. The log line of each
checkpoint tells the latter.

It finds the embedded database by itself; DATABASE_URL names another (its owner's address).
Exits 0 when all is well, 1 when something was tampered with (each finding on a line), 2 when it could not run.
`;

/** `npm run verify`. */
export async function main(args: string[]): Promise<void> {
  await runCommand({ args, help: HELP, options: {} }, async (_, words) => {
    refuseWords(words);
    const config = readConfig(process.env);
    return withDatabase({ env: process.env, random: systemRandom }, async (databaseUrl) => {
      const derived = roleUrls(databaseUrl);
      const roles = [
        config.appDatabaseUrl ?? derived.appUrl,
        config.maintenanceDatabaseUrl ?? derived.maintenanceUrl,
      ].map((url) => decodeURIComponent(new URL(url).username));
      const { findings, notes } = await onDatabase(
        databaseUrl,
        'payonce-verify',
        (db) => verify(db, roles, config.ledgerSigningKeys),
        { patient: true },
      );
      for (const line of notes) process.stdout.write(`${line}\n`);
      for (const line of findings) process.stdout.write(`TAMPERED ${line}\n`);
      if (findings.length === 0) process.stdout.write('Nothing was tampered with.\n');
      return findings.length === 0 ? 0 : 1;
    });
  });
}
