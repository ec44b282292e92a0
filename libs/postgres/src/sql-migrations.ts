import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** TypeORM orders migrations by the 13 digits at the end of a name; ours get them from the file's number. */
const STAMP_BASE = 1_764_547_200_000;

/**
 * The `.sql` files are the migrations; TypeORM only keeps the list of those that ran. Forward only.
 * A file whose first line is `-- no transaction` runs outside one (CREATE INDEX CONCURRENTLY).
 */
export function sqlMigrations(folder = migrationsFolder()): (new () => MigrationInterface)[] {
  return readdirSync(folder)
    .filter((file) => /^\d{4}-.+\.sql$/.test(file))
    .sort()
    .map((file) => {
      const sql = readFileSync(join(folder, file), 'utf8');
      return class implements MigrationInterface {
        readonly name = `${file.slice(0, -4)}${STAMP_BASE + Number(file.slice(0, 4))}`;
        readonly transaction = !sql.startsWith('-- no transaction');
        async up(runner: QueryRunner): Promise<void> {
          await runner.query(sql);
        }
        async down(): Promise<void> {
          throw new Error('Migrations go forward only: write the next one.');
        }
      };
    });
}

/** `migrations/` at the top of the repository or image, from the sources and from a build alike. */
export function migrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'migrations', '0001-time-and-identifiers.sql'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('The migrations folder is not beside the program');
    folder = parent;
  }
  return join(folder, 'migrations');
}
