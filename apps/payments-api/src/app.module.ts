import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import { AccountLimits } from '#platform/account-limits.js';
import { AuthGuard } from '#platform/auth.guard.js';
import { Authenticator } from '#platform/authenticator.js';
import { Core } from '#platform/core.js';
import { AuditController } from './audit.controller.js';
import { BreaksController } from './breaks.controller.js';
import { CancellationsController } from './cancellations.controller.js';
import { CapturesController } from './captures.controller.js';
import { HealthController } from './health.controller.js';
import { InboxReplaysController } from './inbox-replays.controller.js';
import { LedgerController } from './ledger.controller.js';
import { PaymentsController } from './payments.controller.js';
import { ProblemPagesController } from './problem-pages.controller.js';
import { RefundsController } from './refunds.controller.js';
import { ReviewsController } from './reviews.controller.js';
import { WebhooksController } from './webhooks.controller.js';

@Module({})
export class AppModule {
  /** The API around a core that is open already. */
  static around(core: Core): DynamicModule {
    const { deps, config } = core;
    const limits = {
      inFlightMax: config.accountInFlightMax,
      newKeysPerMinute: config.accountNewKeysPerMinute,
    };
    return {
      module: AppModule,
      controllers: [
        PaymentsController,
        CancellationsController,
        CapturesController,
        RefundsController,
        WebhooksController,
        ReviewsController,
        InboxReplaysController,
        AuditController,
        BreaksController,
        LedgerController,
        ProblemPagesController,
        HealthController,
      ],
      providers: [
        { provide: Core, useValue: core },
        { provide: AccountLimits, useValue: new AccountLimits(limits, deps.clock) },
        { provide: Authenticator, useValue: new Authenticator(deps.db, deps.clock) },
        {
          provide: APP_GUARD,
          useFactory: (authenticator: Authenticator, reflector: Reflector) =>
            new AuthGuard(authenticator, reflector),
          inject: [Authenticator, Reflector],
        },
      ],
    };
  }
}
