import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Core } from '#platform/core.js';
import { authorizationSweep } from './authorizations.js';
import { inboxLagCheck, inboxSweep, missedEventSweep } from './inbox.js';
import { invariantSweep } from './invariants.js';
import { ledgerChainSweep, ledgerCheckpointSweep, ledgerSnapshotSweep } from './ledger-chain.js';
import { dailyLeaseCheck, leaseSweep, orphanSweep } from './leases.js';
import { partitionSweep } from './partitions.js';
import { reconciliationSweep } from './reconciliation.js';
import { RecoveryWatch, recoverySweep, unlessRecovering } from './recovery.js';
import { Sweep } from './sweep.js';

/** Starts the sweeps, and at shutdown lets each finish its pass. */
class Sweeps implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #sweeps: Sweep[];

  constructor(core: Core) {
    const { config, deps, log } = core;
    const recovery = new RecoveryWatch(core.deps.db);
    const plans = [
      recoverySweep(core, recovery),
      unlessRecovering(recovery, leaseSweep(core)),
      unlessRecovering(recovery, orphanSweep(core)),
      dailyLeaseCheck(core),
      unlessRecovering(recovery, authorizationSweep(core)),
      inboxSweep(core),
      inboxLagCheck(core),
      missedEventSweep(core),
      invariantSweep(core),
      ledgerChainSweep(core),
      ledgerCheckpointSweep(core),
      ledgerSnapshotSweep(core),
      unlessRecovering(recovery, reconciliationSweep(core)),
    ];
    const maintenanceUrl = config.maintenanceDatabaseUrl ?? config.databaseUrl;
    if (maintenanceUrl === null) {
      log.critical('partitions_unattended', {
        detail:
          'MAINTENANCE_DATABASE_URL is not set: nobody makes or drops partitions of saved answers',
      });
    } else {
      plans.push(partitionSweep(core, maintenanceUrl));
    }
    this.#sweeps = plans.map((plan) => new Sweep(plan, deps.clock, log));
  }

  onApplicationBootstrap(): void {
    for (const sweep of this.#sweeps) sweep.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.#sweeps.map((sweep) => sweep.stop()));
  }
}

@Module({})
export class AppModule {
  static around(core: Core): DynamicModule {
    return {
      module: AppModule,
      providers: [
        { provide: Core, useValue: core },
        { provide: Sweeps, useFactory: (opened: Core) => new Sweeps(opened), inject: [Core] },
      ],
    };
  }
}
