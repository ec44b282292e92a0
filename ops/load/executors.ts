import { milliseconds } from './http.js';
import type { Metrics } from './metrics.js';
import { VirtualUser, type Run } from './virtual-user.js';

/** How k6's scenarios spread their iterations over time. Open ones keep their pace even when the server does not. */
export type Scenario = {
  executor: string;
  exec?: string;
  startTime?: string;
  gracefulStop?: string;
  duration?: string;
  rate?: number;
  startRate?: number;
  timeUnit?: string;
  stages?: { duration: string; target: number }[];
  preAllocatedVUs?: number;
  maxVUs?: number;
  vus?: number;
  iterations?: number;
};

export type Load = {
  run: Run;
  data: unknown;
  stop: AbortSignal;
  report: (error: unknown) => void;
  nextId: () => number;
};

/** Runs one scenario to its end: its start time, its iterations, and the grace for those under way. */
export async function runScenario(load: Load, name: string, scenario: Scenario): Promise<void> {
  const pool = new Pool(load, name, scenario);
  pool.allocate(scenario.preAllocatedVUs ?? scenario.vus ?? 1);
  await pause(milliseconds(scenario.startTime ?? '0s'), load.stop);
  if (scenario.executor.endsWith('arrival-rate')) await openLoop(pool, load, name, scenario);
  else await closedLoop(pool, load, scenario);
  await pool.settle(milliseconds(scenario.gracefulStop ?? '30s'));
}

/** Arrivals: at each millisecond whatever is due begins, if a virtual user is free; else it is dropped, and counted. */
async function openLoop(
  pool: Pool,
  { stop, run }: Load,
  name: string,
  scenario: Scenario,
): Promise<void> {
  const { due, durationMs, idealMs } = arrivals(scenario);
  const started = performance.now();
  let begun = 0;
  for (let now = 0; !stop.aborted; now = performance.now() - started) {
    for (const wanted = due(now); begun < wanted; begun += 1) {
      // How late we are ourselves: a runner that cannot keep its pace must not blame the server.
      if (idealMs) run.metrics.add('trend', 'start_lag', now - idealMs(begun), { scenario: name });
      pool.begin(begun, run.metrics);
    }
    if (now >= durationMs) return;
    await pause(1, stop);
  }
}

/** A fixed number of virtual users, each beginning again when it is done: for a duration or a count. */
async function closedLoop(pool: Pool, { stop }: Load, scenario: Scenario): Promise<void> {
  const vus = scenario.vus ?? 1;
  const endMs =
    scenario.executor === 'constant-vus'
      ? milliseconds(scenario.duration ?? '')
      : Number.POSITIVE_INFINITY;
  const shared =
    scenario.executor === 'shared-iterations'
      ? (scenario.iterations ?? 1)
      : Number.POSITIVE_INFINITY;
  const each =
    scenario.executor === 'per-vu-iterations'
      ? (scenario.iterations ?? 1)
      : Number.POSITIVE_INFINITY;
  if (![endMs, shared, each].some(Number.isFinite))
    throw new Error(`The executor ${scenario.executor} does not exist in this runner`);
  const started = performance.now();
  let begun = 0;
  const user = async () => {
    for (
      let own = 0;
      own < each && begun < shared && performance.now() - started < endMs && !stop.aborted;
      own += 1
    ) {
      await pool.one(begun++);
    }
  };
  await Promise.all(Array.from({ length: vus }, user));
}

/** How many iterations are due after so many milliseconds; a ramp's pace grows evenly within its stage. */
function arrivals(scenario: Scenario): {
  due: (nowMs: number) => number;
  durationMs: number;
  idealMs: ((iteration: number) => number) | null;
} {
  const unitMs = milliseconds(scenario.timeUnit ?? '1s');
  const stages = scenario.stages ?? [
    { duration: scenario.duration ?? '', target: scenario.rate ?? 0 },
  ];
  const lengths = stages.map(({ duration }) => milliseconds(duration));
  const progress = (nowMs: number) => {
    let sum = 0;
    let pace = scenario.startRate ?? (scenario.stages ? 0 : (scenario.rate ?? 0));
    let left = nowMs;
    stages.forEach(({ target }, index) => {
      const length = lengths[index] ?? 0;
      const spent = Math.min(left, length);
      const paceNow = length === 0 ? target : pace + ((target - pace) * spent) / length;
      sum += ((pace + paceNow) / 2) * (spent / unitMs);
      left -= spent;
      pace = target;
    });
    return Math.floor(sum + 1e-9);
  };
  const durationMs = lengths.reduce((sum, length) => sum + length, 0);
  const everyMs = unitMs / (scenario.rate ?? 0);
  return {
    // The first is due at once, the last before the end.
    due: (nowMs) => Math.min(progress(nowMs) + 1, progress(durationMs)),
    durationMs,
    idealMs: scenario.stages ? null : (iteration) => iteration * everyMs,
  };
}

/** The virtual users of one scenario. */
class Pool {
  private readonly free: VirtualUser[] = [];
  private readonly running = new Set<Promise<void>>();
  private made = 0;

  constructor(
    private readonly load: Load,
    private readonly name: string,
    private readonly scenario: Scenario,
  ) {}

  allocate(count: number): void {
    while (this.made < count) {
      this.free.push(new VirtualUser(this.load.run, this.load.nextId()));
      this.made += 1;
    }
  }

  begin(iteration: number, metrics: Metrics): void {
    const most = this.scenario.maxVUs ?? this.scenario.preAllocatedVUs ?? 1;
    if (this.free.length === 0 && this.made < most) this.allocate(this.made + 1);
    if (this.free.length === 0)
      return metrics.add('counter', 'dropped_iterations', 1, { scenario: this.name });
    void this.one(iteration);
  }

  /** The user that was used last is taken again first, as its connection is warm. */
  one(iteration: number): Promise<void> {
    const user = this.free.pop();
    if (!user) throw new Error('No virtual user is free');
    const work = this.drive(user, iteration);
    this.running.add(work);
    void work.finally(() => this.running.delete(work));
    return work;
  }

  private async drive(user: VirtualUser, iteration: number): Promise<void> {
    const { data, report } = this.load;
    try {
      await user.iterate(this.name, this.scenario.exec ?? 'default', iteration, data);
    } catch (error) {
      report(error);
    }
    this.free.push(user);
  }

  async settle(graceMs: number): Promise<void> {
    const over = new AbortController();
    await Promise.race([Promise.all(this.running), pause(graceMs, over.signal)]);
    over.abort();
    if (this.running.size > 0)
      this.load.report(
        new Error(`${this.running.size} iterations of ${this.name} were still running`),
      );
  }
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted || ms <= 0) return void setImmediate(resolve);
    const timer = setTimeout(done, ms);
    stop.addEventListener('abort', done, { once: true });
    function done() {
      clearTimeout(timer);
      stop.removeEventListener('abort', done);
      resolve();
    }
  });
}
