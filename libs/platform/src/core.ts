import type { DataSource } from 'typeorm';
import { ENTITIES } from './entities.js';
import type { Deps } from '#payments/deps.js';
import { enterRecovery } from '#payments/recovery.js';
import { recognizeServer } from '#payments/recognize-server.js';
import type { Db, OnConnect } from '#postgres/db.js';
import { violatedConstraint } from '#postgres/errors.js';
import { openDatabase } from '#postgres/data-source.js';
import { Background } from '#payments/background.js';
import { Instance } from '#postgres/instance.js';
import { type BootFacts, READ_BOOT_FACTS } from '#postgres/boot.sql.js';
import { stripeProcessor } from '#processor/stripe-processor.js';
import { type Clock, systemClock } from '#seams/clock.js';
import { type Random, systemRandom } from '#seams/random.js';
import { type Config, ConfigError, requireProcessor, serviceDatabaseUrl } from './config.js';
import type { Logger } from './logging.js';

/** Connections of one process. Performance is flat from 4 to 16 on two cores. */
const CONNECTIONS_MAX = 10;

/** The whole object graph of a service, opened once and closed once. */
export class Core {
  constructor(
    readonly config: Config,
    readonly log: Logger,
    readonly deps: Deps,
    readonly source: DataSource,
    private readonly instance: Instance,
  ) {}

  async close(): Promise<void> {
    await this.deps.background.idle();
    await this.deps.processor.close();
    await this.instance.close();
    await this.source.destroy();
  }
}

export type CoreOptions = { service: string; clock?: Clock; random?: Random };

/** Connects to the database and checks that it is one to trust money to. Throws ConfigError where it is not. */
export async function openCore(config: Config, log: Logger, options: CoreOptions): Promise<Core> {
  requireProcessor(config);
  const clock = options.clock ?? systemClock;
  const onConnect: OnConnect = (session) => recognizeServer(session, { log });
  const { db, source } = await openDatabase({
    url: serviceDatabaseUrl(config),
    applicationName: options.service,
    connectionsMax: CONNECTIONS_MAX,
    entities: ENTITIES,
    onConnect,
    onIdleError: (error) => log.warning('database_connection_lost', { error: String(error) }),
  });
  const [facts] = await db.run(READ_BOOT_FACTS, []);
  if (facts) checkDatabase(config, facts, log);
  if (config.recoverySince !== null) await beginRecovery(db, config.recoverySince, log);
  const processor = stripeProcessor({
    name: config.processorName,
    secretKey: config.stripeSecretKey,
    apiBase: config.stripeApiBase,
    clock,
  });
  const random = options.random ?? systemRandom;
  const instance = await Instance.register({
    url: config.sessionDatabaseUrl ?? serviceDatabaseUrl(config),
    applicationName: options.service,
    clock,
    random,
    onConnect,
    onChange: (event, change) =>
      event === 'lost'
        ? log.warning('instance_lost', change)
        : log.info('instance_registered', change),
  });
  const deps: Deps = {
    db,
    processor,
    clock,
    random,
    terms: termsOf(config),
    log,
    instance,
    background: new Background(),
  };
  return new Core(config, log, deps, source, instance);
}

function checkDatabase(config: Config, facts: BootFacts, log: Logger): void {
  if (facts.answers_days !== config.answersDays) {
    throw new ConfigError(
      `ANSWERS_DAYS is ${config.answersDays} here and ${facts.answers_days} in the database: ` +
        'how long answers are kept is part of the contract; run migrate with the new value, or set the old one',
    );
  }
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'] as const) {
    if (facts[setting] === 'off') {
      log.critical('database_not_durable', {
        setting,
        detail: `${setting} is off: a crash of the database may forget payments that were answered`,
      });
    }
  }
  if (facts.owns_ledger) {
    log.warning('database_role_is_owner', {
      detail:
        "this service runs as the ledger's owner: that the ledger only grows (P4) rests on its trigger alone; " +
        'set APP_DATABASE_URL to a role that owns nothing',
    });
  }
}

/** Before anything is listened to: from here on no replica claims or sends, until what was lost is imported. */
async function beginRecovery(db: Db, since: Date, log: Logger): Promise<void> {
  try {
    const began = await enterRecovery(db, since);
    if (began) log.critical('recovery_began', { since: since.toISOString() });
  } catch (error) {
    if (violatedConstraint(error) !== 'recoveries_since_is_past') throw error;
    throw new ConfigError(`RECOVERY_SINCE is still to come: ${since.toISOString()}`);
  }
}

function termsOf(config: Config): Deps['terms'] {
  return {
    leaseMs: config.leaseMs,
    processorTimeoutMs: config.processorTimeoutMs,
    visibilityWindowMs: config.visibilityWindowMs,
    processorKeyWindowMs: config.processorKeyWindowMs,
    answersDays: config.answersDays,
    recoveryTriesMax: config.recoveryTriesMax,
    lateSuccessPolicy: config.lateSuccessPolicy,
  };
}
