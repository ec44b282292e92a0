import { importSince } from '#payments/import-since.js';
import { isRecovering } from '#payments/recovery.js';
import type { Core } from '#platform/core.js';
import type { SweepPlan } from './sweep.js';

const PAUSE_MS = 1_000;

/** Whether the database recovers, as far as this process has seen. */
export class RecoveryWatch {
  #isOpen: boolean | null = null;

  constructor(private readonly db: Core['deps']['db']) {}

  async look(): Promise<boolean> {
    return (this.#isOpen = !(await isRecovering(this.db)));
  }

  /** What was seen last; a process that has just started looks first. */
  async isOpen(): Promise<boolean> {
    return this.#isOpen ?? this.look();
  }
}

/** Imports what a database that was set back has lost, and opens the service. Costs a look at an empty table else. */
export function recoverySweep({ deps, log }: Core, watch: RecoveryWatch): SweepPlan {
  const importer = deps.random.uuid();
  return {
    name: 'recovery',
    pauseMs: PAUSE_MS,
    runOnce: async () => {
      if (await watch.look()) return 'done';
      const requestId = `wrk_${deps.random.uuid()}`;
      const pass = await importSince(deps, importer, requestId);
      if (pass === null) return 'done';
      const { since, ended, opened } = pass;
      const facts = { request_id: requestId, since: since.toISOString(), by_end: ended };
      if (opened) log.warning('recovery_opened', facts);
      else log.warning('recovery_goes_on', facts);
      return 'done';
    },
  };
}

/** While the database recovers, what would send has nothing to do: no takeover lets it. */
export function unlessRecovering(watch: RecoveryWatch, plan: SweepPlan): SweepPlan {
  return { ...plan, runOnce: async () => ((await watch.isOpen()) ? plan.runOnce() : 'done') };
}
