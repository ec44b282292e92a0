import { measured, type Metrics, type Verdict } from './metrics.js';

/** The table at the end, in the order and words of k6's own where it has them. */
export function summary(metrics: Metrics, verdicts: Verdict[], seconds: number): string {
  const width = Math.max(...[...metrics.whole.keys()].map((name) => name.length), 24) + 2;
  const lines = [...metrics.whole.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, series]) => {
      const show = (measure: string) => figure(measured(series, measure, seconds));
      const figures = {
        counter: () => `${show('count')}  ${show('rate')}/s`,
        gauge: () => show('value'),
        rate: () => `${(measured(series, 'rate', seconds) * 100).toFixed(2)} %  of ${series.count}`,
        trend: () =>
          ['avg', 'min', 'med', 'p(95)', 'p(99)', 'max']
            .map((each) => `${each}=${show(each)}`)
            .join('  '),
      };
      return `  ${name.padEnd(width, '.')} ${figures[series.kind]()}`;
    });
  const judged = verdicts.map(
    ({ metric, threshold, passed }) => `  ${passed ? '✓' : '✗'} ${metric}: ${threshold}`,
  );
  return ['', ...lines, '', ...judged].join('\n');
}

function figure(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
