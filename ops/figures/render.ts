import { cpus, totalmem } from 'node:os';
import type { LoopResult } from './closed-loop.js';

export type Figures = {
  postgres: string;
  connections: number;
  seconds: number;
  loops: { name: string; result: LoopResult }[];
  roundTripsPerPayment: number;
  commitsPerPayment: number;
  roundTripsPerReplay: number;
  counted: number;
  sizes: { name: string; heapBytes: number; indexBytes: number }[];
  sizedPayments: number;
};

/** The figures as the README shows them. */
export function render(figures: Figures): string {
  const { loops, sizes, sizedPayments } = figures;
  const total = sizes.reduce((sum, { heapBytes, indexBytes }) => sum + heapBytes + indexBytes, 0);
  return [
    `Measured by \`npm run figures\` on ${machine()}, Node ${process.versions.node}, PostgreSQL ${figures.postgres} ` +
      '(fsync on), with API, worker, mock processor, PostgreSQL and the load on the same machine, ' +
      `${figures.connections} connections, ${figures.seconds} s a row after a warm-up. Compare rows of one run; ` +
      'another machine, or a busy one, gives other numbers. Not measured: a processor over a network, several ' +
      'API processes, a database of its own.',
    '',
    '| what | a second | p50 | p99 | requests |',
    '| --- | --- | --- | --- | --- |',
    ...loops.map(
      ({ name, result }) =>
        `| ${name} | ${Math.round(result.perSecond)} | ${ms(result.p50Ms)} | ${ms(result.p99Ms)} | ${result.count} |`,
    ),
    '',
    `| counted over ${figures.counted} of each | |`,
    '| --- | --- |',
    `| round trips to PostgreSQL per payment | ${figures.roundTripsPerPayment.toFixed(2)} |`,
    `| commits per payment | ${figures.commitsPerPayment.toFixed(2)} |`,
    `| round trips per replay | ${figures.roundTripsPerReplay.toFixed(2)} |`,
    `| payments at the processor at once, at 50 ms each, over a pool of 10 connections | ${atOnce().toFixed(1)} |`,
    '',
    `| bytes per payment, over ${sizedPayments} payments | table | indexes |`,
    '| --- | --- | --- |',
    ...sizes
      .filter(({ heapBytes }) => heapBytes / sizedPayments >= 1)
      .map(
        ({ name, heapBytes, indexBytes }) =>
          `| \`${name}\` | ${per(heapBytes)} | ${per(indexBytes)} |`,
      ),
    `| together | ${per(total)} | |`,
  ].join('\n');

  /** Little's law: more calls at once than connections means that no call holds one. */
  function atOnce(): number {
    return ((loops[1]?.result.perSecond ?? 0) * 50) / 1000;
  }

  function per(bytes: number): string {
    return String(Math.round(bytes / sizedPayments));
  }
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}

function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
}
