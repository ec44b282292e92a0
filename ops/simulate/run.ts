import { readConfig } from '#platform/config.js';
import type { Logger } from '#platform/logging.js';
import { newWatch } from '#payments/take-orphans.js';
import type { Books, Row, Violation } from '../checker/books.js';
import { checkBooks } from '../checker/check.js';
import { dumpDatabase } from '../checker/dump.js';
import { SimulatedClient } from './client.js';
import { openBank } from './bank.js';
import { Cluster, type PassName } from './cluster.js';
import type { Service } from './service.js';
import { Courier } from './courier.js';
import { SimulatedDatabase } from './database.js';
import { History } from './history.js';
import type { Tamper } from './network.js';
import { NEMESIS, startNemesis } from './nemesis.js';
import type { Response } from './http.js';
import type { Plan, Wish } from './plan.js';
import { CALM, Recording } from './policy.js';
import { SimulatedProcessor } from './processor.js';
import { Scheduler } from './scheduler.js';
import type { Chooser } from './step.js';
import type { Stage } from './stage.js';
import { type Diary, sometimesOf } from './sometimes.js';
import { START_MS, UNSETTLED } from './stage.sql.js';
import { Trace } from './trace.js';

export type Result = {
  plan: Plan;
  seed: string;
  choices: number[];
  /** Among how many each was chosen. */
  arities: number[];
  hash: string;
  steps: number;
  violations: Violation[];
  /** Each kind of step with what became of it, and each kind of answer: how often. */
  covered: Map<string, number>;
  sometimes: Record<string, number | null>;
  trace: Trace;
  books: Books;
};

/** Decisions after which the trouble ends, whatever has been reached. */
const CHAOS_MAX = 400;
/** What is under way when the trouble ends is at rest within so much virtual time, and so many rounds. */
const QUIET_WITHIN_MS = 3 * 3_600_000;
const ROUNDS_MAX = 2_000;

type Left = { keys: number; events: number; due_ms: number | null };

/** One schedule from an empty database to the verdict: trouble, then calm until everything is at rest. */
export async function runSchedule(
  stage: Stage,
  plan: Plan,
  chooser: Chooser,
  tamper: Tamper | null = null,
): Promise<Result> {
  const schedule = new Schedule(stage, plan, tamper);
  const recording = new Recording(chooser);
  try {
    await stage.reset();
    await schedule.begin();
    await schedule.trouble(recording);
    await schedule.heal();
    await schedule.database.close();
    return await schedule.result(recording);
  } catch (error) {
    throw new Error(`The schedule ${plan.seed} could not be run`, { cause: error });
  }
}

class Schedule {
  readonly trace = new Trace();
  readonly scheduler: Scheduler;
  readonly database: SimulatedDatabase;
  readonly processor: SimulatedProcessor;
  readonly history: History;
  readonly cluster: Cluster;
  readonly covered = new Map<string, number>();
  readonly diary: Diary = { unheardAt: [], refusedWrites: 0 };
  readonly violations: Violation[] = [];
  #clients: SimulatedClient[] = [];
  #steps = 0;

  constructor(
    private readonly stage: Stage,
    private readonly plan: Plan,
    tamper: Tamper | null,
  ) {
    const { seed } = plan;
    this.scheduler = new Scheduler(START_MS, this.trace, stage.probe, async (nowMs) => {
      await this.database.age(nowMs);
      await stage.setTime(nowMs);
    });
    const nowMs = () => this.scheduler.nowMs;
    this.database = new SimulatedDatabase(
      this.scheduler,
      stage.sessions,
      seed,
      this.#noteStatement,
    );
    const sleep = (ms: number) => this.#work(ms);
    this.processor = new SimulatedProcessor(seed, { nowMs, sleep }, plan.mode);
    this.history = new History(nowMs);
    const config = readConfig({
      STRIPE_API_BASE: 'http://processor.invalid',
      LATE_SUCCESS_POLICY: plan.lateSuccessPolicy,
    });
    const { scheduler, database, processor } = this;
    const { source, reader } = stage;
    const log = this.#log();
    const onCall = (task: { name: string }, path: string, end: string) =>
      this.#note(`${kindOf(task.name)}: ${path}: ${end}`);
    this.cluster = new Cluster(
      { seed, config, scheduler, database, processor, source, reader, log, onCall, tamper },
      stage,
    );
  }

  async begin(): Promise<void> {
    const { cluster, scheduler, history, plan } = this;
    for (let n = 0; n < plan.apis; n += 1) await cluster.startApi();
    for (let n = 0; n < plan.workers; n += 1) await cluster.startWorker();
    const { seed } = plan;
    const courier = new Courier(cluster, plan.delivers);
    this.processor.onNews = courier.collect;
    const payments = new Map<string, string>();
    const onAnswer = this.#noteAnswer;
    const ground = { seed, scheduler, history, send: cluster.send, payments, onAnswer };
    this.#clients = plan.clients.map((client) => new SimulatedClient(client, ground));
    startNemesis(cluster);
    if (plan.bank) openBank(cluster);
  }

  async trouble(chooser: Chooser): Promise<void> {
    while (this.#steps < CHAOS_MAX && this.#clients.some(({ isDone }) => !isDone)) {
      if (!(await this.scheduler.turn(chooser))) break;
      this.#steps += 1;
    }
  }

  /** Nothing goes wrong any more: everybody is back, and all that was left is taken up. */
  async heal(): Promise<void> {
    const { cluster, scheduler, database } = this;
    await scheduler.settle();
    scheduler.kill(NEMESIS);
    database.cutOff.clear();
    database.isCalm = true;
    for (const service of [...cluster.apis, ...cluster.workers])
      await cluster.registerAgain(service);
    if (!cluster.apis.some(({ isAlive }) => isAlive)) await cluster.startApi();
    const worker = await cluster.startWorker();
    if (!(await this.#comeToRest(worker))) return;
    for (const client of this.#clients) {
      scheduler.spawn(`${client.task.name} again`, 'client', (task) => client.askAgain(task));
      await this.#runOn();
    }
    // An order that has been given back is open to whoever asks again.
    if (!this.#isAtRest(await this.#left())) await this.#comeToRest(worker);
  }

  /** Lets time pass from one thing that is due to the next until nothing is, and nothing more is heard of. */
  async #comeToRest(worker: Service): Promise<boolean> {
    const { cluster, scheduler } = this;
    const watch = newWatch();
    const pass = async (...names: PassName[]) => {
      for (const name of names) {
        cluster.run(worker, name, watch);
        await this.#runOn();
      }
    };
    const endMs = scheduler.nowMs + QUIET_WITHIN_MS;
    for (let round = 0, wasCalm = false; ; round += 1) {
      await this.#runOn();
      const left = await this.#left();
      const isCalm = this.#isAtRest(left);
      if (isCalm && wasCalm) return true;
      wasCalm = isCalm;
      if (round >= ROUNDS_MAX || scheduler.nowMs > endMs) {
        const says = 'it does not come to rest';
        this.violations.push({ invariant: 'L1', says, rows: [left] });
        return false;
      }
      const due = [scheduler.nextDueMs(), left.due_ms === null ? null : Math.ceil(left.due_ms)];
      const first = Math.min(...due.filter((ms) => ms !== null), scheduler.nowMs + 60_000);
      await scheduler.moveTime(
        isCalm ? scheduler.nowMs + 130_000 : Math.max(first, scheduler.nowMs + 1),
      );
      if (left.keys > 0) await pass('orphans', 'leases');
      if (left.events > 0) await pass('inbox');
      if (isCalm) await pass('missed', 'inbox', 'authorizations', 'daily', 'leases');
    }
  }

  async #left(): Promise<Left> {
    const [left] = await this.stage.rows<Left>(UNSETTLED);
    if (left === undefined) throw new Error('Bug: nothing is counted');
    return left;
  }

  #isAtRest({ keys, events }: Left): boolean {
    const waits = this.scheduler.isUnderWay || this.#clients.some(({ isDone }) => !isDone);
    return keys === 0 && events === 0 && !waits;
  }

  async result({ choices, arities }: Recording): Promise<Result> {
    const { trace, history, covered, violations } = this;
    const query = async (text: string) => ({
      rows: await this.stage.rows<{ name: string; row: Row }>({ name: 'simulate.dump', text }),
    });
    const database = await dumpDatabase({ query });
    const processor = this.processor.state.movements;
    const books = { history: history.lines, database, processor };
    const found = checkBooks(books, { quiet: violations.length === 0 });
    return {
      plan: this.plan,
      seed: this.plan.seed,
      choices,
      arities,
      hash: trace.hash(),
      steps: this.#steps,
      violations: [...violations, ...found],
      covered,
      sometimes: sometimesOf(books, this.diary),
      trace,
      books,
    };
  }

  async #runOn(): Promise<void> {
    while (await this.scheduler.turn(CALM, true)) this.#steps += 1;
  }

  /** The processor works on something for a while: nothing that anybody does makes it stop. */
  #work(ms: number): Promise<unknown> {
    return new Promise((resolve) => {
      this.scheduler.spawn('processor', 'network', async (task) => {
        const dueMs = this.scheduler.nowMs + ms;
        await this.scheduler.stand(task, 'has worked', ['ok'], { dueMs, byMs: dueMs });
        resolve(null);
      });
    });
  }

  readonly #noteAnswer = (
    wish: Wish,
    { status, text }: Response,
    before: Response | null,
  ): void => {
    const code = /"code":"(\w+)"/.exec(text)?.[1];
    this.#note(`answer: ${wish.kind}: ${status}${code === undefined ? '' : ` ${code}`}`);
    if (before?.status === 202) this.#note(`after 202: ${wish.kind}: ${status}`);
  };

  readonly #noteStatement = (task: { name: string }, name: string, end: string): void => {
    this.#note(`${kindOf(task.name)}: ${name}: ${end}`);
    if (end === 'unheard' || end === 'commits late')
      this.diary.unheardAt.push(this.scheduler.nowMs);
    if (end === 'moved nothing') this.diary.refusedWrites += 1;
  };

  #note(what: string): void {
    this.covered.set(what, (this.covered.get(what) ?? 0) + 1);
  }

  #log(): Logger {
    const note = (event: string) => this.#note(`log: ${event}`);
    return { debug: () => {}, info: () => {}, warning: note, error: note, critical: note };
  }
}

function kindOf(task: string): string {
  return task.replaceAll(/\d+/g, '').replace(/\/.*/, '');
}
