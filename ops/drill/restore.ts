import { readConfig } from '#platform/config.js';
import type { BookLine } from '../checker/books.js';
import { checkBooks } from '../checker/check.js';
import { readWorld } from '../prove/judge-world.js';
import { whileTimeFlies } from '../prove/load.js';
import type { Finding } from '../prove/phase.js';
import * as prove from '../prove/prove.sql.js';
import { untilQuiet } from '../prove/quiet.js';
import { daysOf, differences, reconcile } from '../prove/reconcile-day.js';
import { World } from '../prove/world.js';
import { onDatabase } from '../on-database.js';
import { verify } from '../verify/verify.js';
import { Archive } from './archive.js';
import { Caller, type Kept, type Thing, thingIn } from './requests.js';
import { until } from '../until.js';

export type DrillOrder = {
  /** How much is lost, by the clock of the services. */
  minutes: number;
  /** Whether the services are told that the database was restored. */
  isDeclared: boolean;
  /** Gets the services' logs. */
  folder: string;
  say: (line: string) => void;
  stopping: AbortSignal;
};

export type DrillEnd = {
  /** What was seen, in the order in which it happened. */
  lines: string[];
  /** What should not be. */
  findings: Finding[];
};

const DAY_MS = 86_400_000;
/** Requests that the disaster falls into: charged there, and their answers never heard. */
const CUT_OFF = 3;

/**
 * Loses the last minutes of the database, as a restore from a backup does, and shows what becomes of the money: real
 * servers, a real base backup and its write-ahead log, real processes.
 */
export async function restoreDrill(order: DrillOrder): Promise<DrillEnd> {
  const { folder, say, stopping } = order;
  const env: Record<string, string> = {};
  const world = await World.open({ folder, apis: 1, workers: 1, env, say, stopping });
  try {
    return await new Drill(world, order, env).run();
  } finally {
    await world.close();
  }
}

class Drill {
  readonly #caller: Caller;
  readonly #lines: string[] = [];
  readonly #findings: Finding[] = [];

  constructor(
    private readonly world: World,
    private readonly order: DrillOrder,
    /** What the services are started with. */
    private readonly env: Record<string, string>,
  ) {
    this.#caller = new Caller(world);
  }

  async run(): Promise<DrillEnd> {
    const { world, order } = this;
    const archive = await Archive.begin(world.postgres, order);
    const early = [
      await this.#caller.pay('early-1'),
      await this.#caller.pay('early-2'),
      await this.#caller.pay('early-hold', { capture: 'manual' }),
    ];
    order.stopping.throwIfAborted();
    await archive.backUp();
    await this.#caller.pay('between'); // in the log alone
    const since = await archive.mark();
    const lostFrom = this.#caller.kept.length;
    const advancedMs = await this.#loseTheRest(early);
    order.say('The disaster: services killed, database gone');
    await Promise.all(world.replicas.map((replica) => replica.close()));
    world.sendEventsTo({ url: '' }); // nobody listens
    world.replicas.length = 0;
    await archive.restore();
    await world.owner.run(prove.ADVANCE, [advancedMs]); // time has not been set back
    const lost = this.#caller.kept.slice(lostFrom);
    this.#tell(`the database is as of ${since.toISOString()}: ${lost.length} requests are lost`);
    await this.#startAgain(since);
    // One of them never comes back: what was made for it is here by the import alone.
    await whileTimeFlies(world, () => this.#askAgain(lost.slice(1)));
    await this.#compare();
    return { lines: this.#lines, findings: this.#findings };
  }

  /** What happens after the mark. Returns how far the clocks were moved meanwhile. */
  async #loseTheRest(early: readonly Thing[]) {
    const { world, order } = this;
    const stepMs = (order.minutes * 60_000) / 2;
    const [refunded, disputed, held] = early;
    await world.advance(stepMs);
    for (const n of [1, 2, 3]) await this.#caller.pay(`lost-${n}`);
    await this.#caller.pay('lost-hold', { capture: 'manual' });
    if (held) await this.#caller.capture(held.id, 'lost-capture');
    if (refunded) await this.#caller.refund(refunded.id, 'lost-refund');
    const dispute = {
      kind: 'dispute_opened',
      payment_intent: disputed?.processor?.id,
      amount: 400,
    };
    if (!(await world.processor.event(dispute))) throw new Error('The mock opened no dispute');
    await world.advance(stepMs);
    await world.processor.faults({ fault: 'timeout_charged', times: CUT_OFF });
    const made = (await this.#charges()).length;
    const cutOff = Array.from({ length: CUT_OFF }, (_, n) =>
      this.#caller.payAndDie(`cut-${n + 1}`),
    );
    await until('the cards are charged', order, async () => {
      return (await this.#charges()).length >= made + CUT_OFF;
    });
    for (const api of world.apis) await api.close();
    await Promise.all(cutOff);
    await world.processor.faults({});
    this.#tell(`${CUT_OFF} callers were cut off while their cards were charged`);
    return 2 * stepMs;
  }

  /** The API first, alone: nobody imports anything yet. */
  async #startAgain(since: Date): Promise<void> {
    const { world, order, env } = this;
    if (order.isDeclared) env['RECOVERY_SINCE'] = since.toISOString();
    const told = order.isDeclared ? `with RECOVERY_SINCE=${since.toISOString()}` : 'as ever';
    order.say(`Starting the services ${told}`);
    await world.add('api');
    world.sendEventsTo(null);
    const seen = world.journal.said.get('database_set_back') ?? 0;
    if (seen === 1) this.#tell('the API saw that the server goes on from another timeline');
    else this.#find('the API did not say once that the database was set back', { seen });
    const { status, text = '' } = await this.#caller.once('new-1');
    if (status === 503 && text.includes('recovering')) {
      this.#tell('a new request meanwhile: 503 recovering, and nothing is sent');
    } else {
      this.#find('a new request was taken while the database recovers', { status, text });
    }
    const [known] = this.#caller.kept;
    if (known) await this.#mustTell(known);
    this.#tell('a retry of what the backup has: its saved answer');
    await world.add('worker');
    await whileTimeFlies(world, () => this.#untilOpen());
  }

  async #untilOpen(): Promise<void> {
    await until('the services are open again', this.order, async () => {
      return (await this.#caller.once('new-1')).status === 201;
    });
    this.#tell('the worker read what the processor had made since, and the services opened');
  }

  async #askAgain(lost: readonly Kept[]): Promise<void> {
    this.order.say(`Retrying the ${lost.length} lost requests under their keys`);
    for (const kept of lost) await this.#mustTell(kept);
    this.#tell(
      `${lost.length} lost requests were retried, each got what was made for it; one caller never came back`,
    );
  }

  /** The retry gets what the processor made for this key: what was told before, if anything was. */
  async #mustTell(kept: Kept): Promise<void> {
    const heard = await this.#caller.again(kept);
    const thing = thingIn(heard);
    const id = thing?.processor?.id ?? null;
    const isSame = kept.told === null || kept.told === id;
    if (thing !== null && isSame && (id !== null || kept.what === 'refund')) return;
    const { status, text } = heard;
    const row = { told: kept.told, status, text };
    this.#find(`the retry of ${kept.asked.key} did not get what was made for it`, row);
  }

  /** Once all is quiet: the processor's book against the database, and the day's report against the ledger. */
  async #compare(): Promise<void> {
    const { world, order } = this;
    const left = await untilQuiet(world);
    order.stopping.throwIfAborted();
    if (left !== null) this.#find('the services never came to rest', left);
    const { database, processor } = await readWorld(world);
    const unrecorded = [...world.accounts, ...world.strangers].map(({ id }) => id);
    // What clients were told before is lost in part, and is not held against what is here now.
    this.#findings.push(
      ...checkBooks({ history: [], database, processor }, { quiet: true, unrecorded }),
    );
    this.#tell(await this.#countAtProcessor());
    const days = await daysOf(world);
    await world.advance(DAY_MS);
    for (const day of days) {
      const run = await reconcile(order, world, day);
      this.#findings.push(...differences(day, [], run));
    }
    this.#tell(`the report of ${days.join(', ')} against the ledger: compared to the cent`);
    await this.#verify();
  }

  /** What `npm run verify` says. Checkpoints that are in no row any more are told by their log lines alone. */
  async #verify(): Promise<void> {
    const { world } = this;
    const env = world.jobEnvironment();
    const { ledgerSigningKeys } = readConfig(env);
    const roles = [env['APP_DATABASE_URL'], env['MAINTENANCE_DATABASE_URL']].map(
      (url) => new URL(url ?? '').username,
    );
    const { findings, notes } = await onDatabase(world.postgres.ownerUrl, 'drill', (db) =>
      verify(db, roles, ledgerSigningKeys),
    );
    for (const says of findings) this.#find(`verify: ${says}`, {});
    this.#tell(`verify, of guards, rights, chain and books: ${notes.join(' ')}`);
  }

  /** One charge a payment, one capture of the one that was held before, one refund of the one that was refunded. */
  async #countAtProcessor(): Promise<string> {
    const charges = await this.#charges();
    const intents = new Set(charges.map(({ metadata }) => metadata?.['payonce_intent']));
    const asked = this.#caller.kept.filter(({ what }) => what === 'payment').length + 1; // the new one
    if (charges.length !== asked || intents.size !== asked) {
      this.#find(`${asked} payments were asked for`, { intents: [...intents], charges });
    }
    const book = await this.world.processor.book();
    for (const one of ['capture', 'refund']) {
      const made = book.filter(({ operation }) => operation === one);
      if (made.length !== 1) this.#find(`one ${one} was asked for`, { made });
    }
    return `${asked} payments were asked for, and the processor made ${charges.length} charges or holds, one capture and one refund`;
  }

  async #charges(): Promise<BookLine[]> {
    const book = await this.world.processor.book();
    return book.filter(({ operation }) => operation === 'charge' || operation === 'authorize');
  }

  /** Ends the drill where somebody wished it to end. */
  #tell(line: string): void {
    this.#lines.push(line);
    this.order.say(line);
    this.order.stopping.throwIfAborted();
  }

  #find(says: string, row: object): void {
    this.#findings.push({ invariant: 'P1', says, rows: [row] });
  }
}
