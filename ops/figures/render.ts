import { cpus, totalmem } from 'node:os';
import { PROCESSOR_MS } from './crash.js';
import type { LoopResult } from './loops.js';
import type { Costs, PaymentFigures, Sizes } from './payments.js';
import type { Scale } from './scale.js';
import type { Spread } from './spread.js';
import { IN_FLIGHT, STUCK, type SweepFigures } from './sweeps.js';
import type { WebhookFigures } from './webhooks.js';

export type Figures = {
  postgres: string;
  scale: Scale;
  payments: PaymentFigures;
  /** Payments a second of claim and record alone. */
  bound: number;
  costs: Costs;
  sizes: Sizes;
  webhooks: WebhookFigures;
  crashes: Spread;
  /** Payments a second, with one worker and with two. */
  drain: { one: number; two: number };
  sweeps: SweepFigures;
};

/** The figures as the README shows them. */
export function render(figures: Figures): string {
  const parts = [paymentPart, costPart, sizePart, recoveryPart, sweepPart];
  return [preface(figures), ...parts.map((part) => part(figures))].join('\n\n');
}

function preface({ postgres, scale }: Figures): string {
  return (
    `Measured by \`npm run figures\` on ${machine()}, Node ${process.versions.node}, PostgreSQL ${postgres} ` +
    '(fsync on), with API, worker, mock processor (which sends its webhooks), PostgreSQL and the load on the same ' +
    `machine, ${scale.connections} connections, ${scale.seconds} s a row of payments after a warm-up. Compare rows of ` +
    'one run; another machine, or a busy one, gives other numbers. Not measured: a processor over a network, ' +
    'several API processes, a database of its own, a database larger than its memory, refunds and captures.'
  );
}

function paymentPart({ payments, bound, webhooks, scale }: Figures): string {
  const share = (result: LoopResult) => (result.perSecond / bound).toFixed(2);
  const row = (name: string, result: LoopResult, ofBound: string) =>
    `| ${name} | ${Math.round(result.perSecond)} | ${ofBound} | ${ms(result.p50Ms)} | ${ms(result.p99Ms)} | ${result.count} |`;
  return table(
    ['what', 'a second', 'of the bound', 'p50', 'p99', 'requests'],
    [
      row('payments, processor at 0 ms', payments.fast, share(payments.fast)),
      row('payments, processor at 50 ms', payments.slow, share(payments.slow)),
      row('replays', payments.replays, ''),
      row(
        `webhooks, from receipt to 200, at ${scale.eventsPerSecond} a second`,
        webhooks.steady,
        '',
      ),
      row('webhooks, from receipt to 200, as fast as they are taken', webhooks.burst, ''),
      `| the bound: claim and record alone, the same code in one process without HTTP, and a processor in memory | ${Math.round(bound)} | 1 | | | ${Math.round(bound * scale.seconds)} |`,
    ],
  );
}

function costPart({ costs, payments }: Figures): string {
  // Little's law: more calls at once than connections means that no call holds one.
  const atOnce = (payments.slow.perSecond * 50) / 1000;
  return table(
    [`counted over ${costs.counted} of each, without the worker`, ''],
    [
      `| round trips to PostgreSQL per payment | ${costs.payment.roundTrips.toFixed(2)} |`,
      `| commits per payment | ${costs.payment.commits.toFixed(2)} |`,
      `| round trips per replay | ${costs.replay.roundTrips.toFixed(2)} |`,
      `| payments at the processor at once, at 50 ms each, over a pool of 10 connections | ${atOnce.toFixed(1)} |`,
    ],
  );
}

function sizePart({ sizes: { tables, payments } }: Figures): string {
  const per = (bytes: number) => String(Math.round(bytes / payments));
  const total = tables.reduce((sum, { heapBytes, indexBytes }) => sum + heapBytes + indexBytes, 0);
  return table(
    [`bytes per payment, over ${payments} payments and their events`, 'table', 'indexes'],
    [
      ...tables
        .filter(({ heapBytes }) => heapBytes / payments >= 1)
        .map((row) => `| \`${row.name}\` | ${per(row.heapBytes)} | ${per(row.indexBytes)} |`),
      `| together | ${per(total)} | |`,
    ],
  );
}

function recoveryPart({ crashes, drain, scale, payments }: Figures): string {
  const rate = (perSecond: number) =>
    `${Math.round(perSecond)} a second, ${(perSecond / payments.fast.perSecond).toFixed(2)} of what the API takes`;
  return table(
    ['recovery', ''],
    [
      `| from \`kill -9\` of the only API to the end of each of ${scale.inFlight} payments in flight, the processor at ${PROCESSOR_MS / 1000} s, the lease at 30 s (${crashes.count} payments, ${scale.crashes} crashes) | p50 ${seconds(crashes.p50Ms)}, p99 ${seconds(crashes.p99Ms)}, longest ${seconds(crashes.maxMs)} |`,
      `| a backlog of ${count(scale.backlog)} unknown payments, one worker | ${rate(drain.one)} |`,
      `| the same, two workers | ${rate(drain.two)} |`,
    ],
  );
}

function sweepPart({ sweeps, scale }: Figures): string {
  const spread = ({ p50Ms, p99Ms }: Spread) => `p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}`;
  const finding = ({ firstMs, allMs, passes }: SweepFigures['leaseFinding']) =>
    `first pass ${ms(firstMs)}, all final after ${ms(allMs)} and ${passes} passes`;
  const costs = table(
    [
      `one pass over ${count(scale.finishedKeys)} finished keys, ${count(scale.behindMark)} claims behind the mark, ${IN_FLIGHT} in flight, ${STUCK} stuck`,
      `${scale.passes} passes each`,
    ],
    [
      `| leases that ended: finds nothing | ${spread(sweeps.leaseNothing)} |`,
      `| owners that died: all alive | ${spread(sweeps.orphansAllAlive)} |`,
      `| owners that died: reads every lease, finds nothing | ${spread(sweeps.orphansReading)} |`,
      `| leases that ended: passes 5,000 claims and finds ${STUCK} (once) | ${finding(sweeps.leaseFinding)} |`,
      `| owners that died: finds ${STUCK} (once) | ${finding(sweeps.orphansFinding)} |`,
    ],
  );
  const none = sweeps.indexesOnState.length === 0 ? 'none' : sweeps.indexesOnState.join();
  const plans = table(
    [
      `EXPLAIN (ANALYZE, BUFFERS); indexes on \`state\` or \`locked_until\`: ${none}`,
      'rows from',
      'pages',
      'takes',
    ],
    sweeps.plans.map(
      ({ statement, reads, pages, ms: took }) =>
        `| \`${statement}\` | ${reads.join(', ') || 'memory'} | ${pages} | ${ms(took)} |`,
    ),
  );
  return `${costs}\n\n${plans}`;
}

export function table(head: string[], rows: string[]): string {
  return [`| ${head.join(' | ')} |`, `|${head.map(() => ' --- |').join('')}`, ...rows].join('\n');
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}

function seconds(valueMs: number): string {
  return `${(valueMs / 1000).toFixed(1)} s`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
}
