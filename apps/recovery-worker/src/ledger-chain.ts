import { linkEntries } from '#ledger/link-entries.js';
import { signCheckpoints } from '#ledger/sign-checkpoints.js';
import { newSnapshotWalk, takeSnapshots } from '#ledger/take-snapshots.js';
import type { Core } from '#platform/core.js';
import type { SweepPlan } from './sweep.js';

const PAUSE_MS = 1_000;

/** Links what was booked since. Silent: this is all it does all day. */
export function ledgerChainSweep({ deps }: Core): SweepPlan {
  return {
    name: 'ledger_chain',
    pauseMs: PAUSE_MS,
    runOnce: async () => ((await linkEntries(deps.db)).more ? 'more' : 'done'),
  };
}

const CHECKPOINT_PAUSE_MS = 5_000;

/** Signs the chains, once a minute. The log line is the copy that nobody who owns the database can change. */
export function ledgerCheckpointSweep({ deps, config, log }: Core): SweepPlan {
  return {
    name: 'ledger_checkpoints',
    pauseMs: CHECKPOINT_PAUSE_MS,
    runOnce: async () => {
      const { signer } = config.ledgerSigningKeys;
      if (signer === null) return 'done';
      const checkpoints = await signCheckpoints(deps.db, signer);
      if (checkpoints.length > 0) log.info('ledger_checkpoint', { checkpoints });
      return 'done';
    },
  };
}

const SNAPSHOT_PAUSE_MS = 2_000;

/** Adds up what the chain has made final, for those who read balances. Silent as well: they are the same without it. */
export function ledgerSnapshotSweep({ deps }: Core): SweepPlan {
  const walk = newSnapshotWalk();
  return {
    name: 'ledger_snapshots',
    pauseMs: SNAPSHOT_PAUSE_MS,
    runOnce: async () => ((await takeSnapshots(deps.db, walk)).more ? 'more' : 'done'),
  };
}
