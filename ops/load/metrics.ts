/**
 * What k6 keeps of a run: every metric as a whole, and again for each selection of tags that a
 * threshold asks about (`http_req_duration{scenario:steady}`). Samples themselves are not kept.
 */
export type Kind = 'counter' | 'gauge' | 'rate' | 'trend';
export type Tags = Record<string, string>;
export type Verdict = { metric: string; threshold: string; passed: boolean };

type Series = { kind: Kind; values: number[]; sum: number; count: number; last: number };
type Selection = { series: Series; tags: [string, string][] };

export class Metrics {
  readonly whole = new Map<string, Series>();
  private readonly selections = new Map<string, Selection[]>();
  private readonly thresholds: { key: string; name: string; expression: string }[] = [];

  /** Takes a script's `options.thresholds`. */
  expect(thresholds: Record<string, unknown>): void {
    for (const [key, list] of Object.entries(thresholds)) {
      const { name, tags } = parseSelector(key);
      const selection = { series: emptySeries('trend'), tags };
      this.selections.set(name, [...(this.selections.get(name) ?? []), selection]);
      for (const item of [list].flat() as (string | { threshold: string })[]) {
        const expression = typeof item === 'string' ? item : item.threshold;
        parseExpression(expression); // a typo is told before the run, not after it
        this.thresholds.push({ key, name, expression });
      }
    }
  }

  add(kind: Kind, name: string, value: number, tags: Tags): void {
    const series = this.whole.get(name) ?? emptySeries(kind);
    this.whole.set(name, series);
    addTo(series, value);
    for (const selection of this.selections.get(name) ?? []) {
      if (!selection.tags.every(([tag, wanted]) => tags[tag] === wanted)) continue;
      selection.series.kind = kind;
      addTo(selection.series, value);
    }
  }

  /** A threshold over no samples: a count of nothing is 0; of anything else nothing can be said, and it fails. */
  verdicts(seconds: number): Verdict[] {
    return this.thresholds.map(({ key, name, expression }) => {
      const { tags } = parseSelector(key);
      const same = (other: Selection) => JSON.stringify(other.tags) === JSON.stringify(tags);
      const series = this.selections.get(name)?.find(same)?.series ?? emptySeries('trend');
      const { measure, holds } = parseExpression(expression);
      return {
        metric: key,
        threshold: expression,
        passed: holds(measured(series, measure, seconds)),
      };
    });
  }
}

/** One figure of a series: `avg`, `med`, `p(99)`, `rate`, `count`, `value` and the like. */
export function measured(series: Series, measure: string, seconds: number): number {
  const percentile = measure.match(/^p\((\d+(\.\d+)?)\)$/)?.[1];
  if (percentile !== undefined) return quantile(series.values, Number(percentile) / 100);
  switch (measure) {
    case 'count':
      return series.kind === 'counter' ? series.sum : series.count;
    case 'rate':
      return series.kind === 'counter' ? series.sum / seconds : series.sum / series.count;
    case 'value':
      return series.last;
    case 'avg':
      return series.sum / series.count;
    case 'min':
      return quantile(series.values, 0);
    case 'med':
      return quantile(series.values, 0.5);
    case 'max':
      return quantile(series.values, 1);
    default:
      throw new Error(`"${measure}" is no measure of a metric`);
  }
}

function emptySeries(kind: Kind): Series {
  return { kind, values: [], sum: 0, count: 0, last: Number.NaN };
}

function addTo(series: Series, value: number): void {
  series.sum += value;
  series.count += 1;
  series.last = value;
  if (series.kind === 'trend') series.values.push(value);
}

/** Between two samples a quantile lies on the line from one to the other, as k6 counts it. */
function quantile(values: number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

function parseSelector(key: string): { name: string; tags: [string, string][] } {
  const [, name = key, selector = ''] = key.match(/^([^{]+)\{(.*)\}$/) ?? [];
  const tags = selector
    .split(',')
    .filter(Boolean)
    .map((pair): [string, string] => {
      const [tag = '', ...value] = pair.split(':');
      return [tag.trim(), value.join(':').trim()];
    });
  return { name, tags };
}

const COMPARISONS: Record<string, (a: number, b: number) => boolean> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '==': (a, b) => a === b,
  '===': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

function parseExpression(text: string): { measure: string; holds: (value: number) => boolean } {
  const [, measure = '', operator = '', limit] =
    text.match(
      /^\s*(avg|min|med|max|count|rate|value|p\([\d.]+\))\s*([<>=!]=?=?)\s*([\d.]+)\s*$/,
    ) ?? [];
  const compare = COMPARISONS[operator];
  if (!compare) throw new Error(`"${text}" is no threshold, such as p(99)<500 or rate<0.01`);
  return { measure, holds: (value) => compare(value, Number(limit)) };
}
