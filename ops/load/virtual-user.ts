import type { HttpClient } from './http.js';
import type { Kind, Metrics, Tags } from './metrics.js';
import type { Exports, Script } from './script.js';

/** One virtual user: its own instance of the script, one iteration at a time. */
export type Run = {
  script: Script;
  metrics: Metrics;
  http: HttpClient;
  env: Record<string, string | undefined>;
  options: Exports;
};

export class VirtualUser {
  readonly exports: Exports;
  private scenario = '';
  private iteration = -1; // k6 counts from 0
  private iterationInScenario = -1;
  private readonly ownTags: Tags = {};
  private readonly groups: string[] = [];

  constructor(
    private readonly run: Run,
    readonly id: number,
  ) {
    const { script, http, env } = run;
    const tags = () => this.tags();
    const modules = {
      k6: this.coreModule(),
      'k6/http': http.moduleFor(tags),
      'k6/metrics': this.metricsModule(),
      'k6/execution': this.executionModule(),
    };
    const globals = { __VU: id, __ENV: env, open: unavailable('open()') };
    this.exports = script.instantiate({ modules, globals });
  }

  /** Runs the exported function once and takes its time. A throw is the script's failure, told to the caller. */
  async iterate(
    scenario: string,
    exec: string,
    iterationInScenario: number,
    data: unknown,
  ): Promise<void> {
    this.scenario = scenario;
    this.iteration += 1;
    this.iterationInScenario = iterationInScenario;
    const iterate = this.exports[exec];
    if (typeof iterate !== 'function') throw new Error(`The script exports no function ${exec}`);
    const started = performance.now();
    try {
      await iterate(data);
    } finally {
      const { metrics } = this.run;
      metrics.add('counter', 'iterations', 1, this.tags());
      metrics.add('trend', 'iteration_duration', performance.now() - started, this.tags());
    }
  }

  private tags(): Tags {
    const group = this.groups.length > 0 ? { group: `::${this.groups.join('::')}` } : {};
    return { scenario: this.scenario, ...group, ...this.ownTags };
  }

  private coreModule(): Record<string, unknown> {
    const check = (value: unknown, checks: Record<string, unknown>, tags: Tags = {}): boolean => {
      const results = Object.entries(checks).map(([name, test]) => {
        const passed = Boolean(typeof test === 'function' ? test(value) : test);
        this.run.metrics.add('rate', 'checks', passed ? 1 : 0, {
          ...this.tags(),
          check: name,
          ...tags,
        });
        return passed;
      });
      return results.every(Boolean);
    };
    const group = async (name: string, work: () => unknown) => {
      this.groups.push(name);
      try {
        return await work();
      } finally {
        this.groups.pop();
      }
    };
    const fail = (message = 'failed') => {
      throw new Error(message);
    };
    return { check, group, fail, sleep: unavailable('sleep()') };
  }

  private metricsModule(): Record<string, unknown> {
    const { metrics } = this.run;
    const tagsNow = () => this.tags();
    const metric = (kind: Kind) =>
      class {
        constructor(readonly name: string) {}
        add(value: number | boolean, tags: Tags = {}): void {
          metrics.add(kind, this.name, Number(value), { ...tagsNow(), ...tags });
        }
      };
    return {
      Counter: metric('counter'),
      Gauge: metric('gauge'),
      Rate: metric('rate'),
      Trend: metric('trend'),
    };
  }

  private executionModule(): Record<string, unknown> {
    const now = () => ({
      iteration: this.iteration,
      inTest: this.iterationInScenario,
      name: this.scenario,
    });
    const execution = {
      vu: {
        idInInstance: this.id,
        idInTest: this.id,
        get iterationInInstance() {
          return now().iteration;
        },
        metrics: { tags: this.ownTags },
      },
      scenario: {
        get name() {
          return now().name;
        },
        get iterationInTest() {
          return now().inTest;
        },
      },
      test: {
        options: this.run.options,
        fail: unavailable('exec.test.fail()'),
        abort: unavailable('exec.test.abort()'),
      },
    };
    return { ...execution, default: execution };
  }
}

function unavailable(what: string): () => never {
  return () => {
    throw new Error(`${what} does not exist in this runner; load-tests/README.md lists what does`);
  };
}
