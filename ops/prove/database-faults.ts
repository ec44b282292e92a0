import { setTimeout as pause } from 'node:timers/promises';
import type { Crash } from './crashing-postgres.js';
import type { CutAction } from './database-proxy.js';
import type { Fault, Strike } from './nemesis.js';
import type { World } from './world.js';

/** The statements that commit what a request is about, and the word that ends a transaction. */
export const COMMITTING = [
  'payments.claim',
  'payments.claim_step',
  'payments.claim_refund',
  'payments.enqueue',
  'payments.record',
  'payments.record_step',
  'payments.record_refund',
  'payments.leave_unknown',
  'payments.release',
  'payments.take_up',
  'payments.cancel',
  'payments.bury_key',
  'inbox.receive',
  'inbox.settle',
  'COMMIT',
] as const;

/** Loses the next committing statement of a replica, or its confirmation. False when none came in time. */
export async function cutOne(
  world: World,
  replica: World['replicas'][number],
  action: CutAction,
  statements: readonly string[] = COMMITTING,
): Promise<boolean> {
  const cut = await replica.proxy.cutNext(statements, action, 1_500);
  if (cut) world.journal.note(action, replica.name, cut.statement);
  return cut !== null;
}

/** Crashes the database and waits until it serves; what it had acknowledged has to be there afterwards. */
export async function crashPostgres(world: World, how: Crash, awayMs: number): Promise<void> {
  if (world.postgres.isCrashing) return;
  world.journal.note('database crash', 'database', how);
  const ms = await world.postgres.crash(how, awayMs);
  world.journal.note('database restart', 'database', `after ${Math.round(ms)} ms`);
  world.journal.count('database crash-restarts');
}

async function crash({ world, choices }: Strike, how: Crash): Promise<void> {
  await crashPostgres(world, how, choices.between(0, 1_500));
}

export const DATABASE_FAULTS: readonly Fault[] = [
  {
    name: 'cut',
    gapMs: 500,
    strike: async ({ world, choices }) => {
      const action = choices.of(['cut_before', 'cut_after'] as const);
      await cutOne(world, choices.of(world.replicas), action);
    },
  },
  {
    name: 'cut-all',
    gapMs: 8_000,
    strike: async ({ world, choices }) => {
      const victim = choices.of(world.replicas);
      world.journal.note('cut-all', victim.name, `${victim.proxy.cutAll()} connections`);
    },
  },
  { name: 'db-stop', gapMs: 25_000, strike: (strike) => crash(strike, 'immediate') },
  { name: 'db-kill', gapMs: 25_000, strike: (strike) => crash(strike, 'kill') },
  {
    name: 'db-session',
    gapMs: 20_000,
    strike: async ({ world }) => {
      if (world.postgres.isCrashing || !world.postgres.killBackend()) return;
      world.journal.note('db-session', 'database', 'SIGKILL to one session; all are ended');
    },
  },
  {
    name: 'db-freeze',
    gapMs: 25_000,
    strike: async ({ world, choices }) => {
      if (world.postgres.isCrashing) return;
      const ms = choices.between(300, 3_000);
      world.journal.note('db-freeze', 'database', `${ms} ms`);
      await world.postgres.freeze(ms);
      await pause(500);
    },
  },
];
