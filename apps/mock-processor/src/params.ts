import { invalid } from './errors.js';
import type { Form, FormTree } from './form.js';

const METADATA_MEMBERS_MAX = 50;
const METADATA_NAME_MAX = 40;
const METADATA_VALUE_MAX = 500;

/** Typed reading of a form. Each getter refuses what Stripe refuses, naming the parameter. */
export class Params {
  constructor(private readonly form: Form) {}

  string(name: string, lengthMax = 5000): string | null {
    const value = this.form.tree.get(name);
    if (value === undefined || value === '') return null;
    if (typeof value !== 'string') throw invalid(`Invalid string: ${name}.`, name);
    if (value.length > lengthMax) {
      throw invalid(`Invalid string: ${name} has more than ${lengthMax} characters.`, name);
    }
    return value;
  }

  integer(name: string, range: { min: number; max: number }): number | null {
    const text = this.string(name);
    if (text === null) return null;
    if (!/^-?\d{1,15}$/.test(text)) {
      throw invalid(`Invalid integer: ${text.slice(0, 40)}`, name, 'parameter_invalid_integer');
    }
    const value = Number(text);
    if (value < range.min) {
      throw invalid(`${name} must be at least ${range.min}.`, name, 'parameter_invalid_integer');
    }
    if (value > range.max) {
      throw invalid(`${name} must be no more than ${range.max}.`, name, 'amount_too_large');
    }
    return value;
  }

  boolean(name: string): boolean {
    const text = this.string(name) ?? 'false';
    if (text !== 'true' && text !== 'false') throw invalid(`Invalid boolean: ${text}`, name);
    return text === 'true';
  }

  choice<Value extends string>(name: string, values: readonly Value[]): Value | null {
    const text = this.string(name);
    if (text === null) return null;
    const value = values.find((candidate) => candidate === text);
    if (value === undefined) {
      throw invalid(`Invalid ${name}: must be one of ${values.join(', ')}.`, name);
    }
    return value;
  }

  required<Value>(name: string, value: Value | null): Value {
    if (value !== null) return value;
    throw invalid(`Missing required param: ${name}.`, name, 'parameter_missing');
  }

  metadata(): Record<string, string> {
    const metadata: Record<string, string> = {};
    const node = this.form.tree.get('metadata');
    if (node === undefined || node === '') return metadata;
    if (typeof node === 'string') throw invalid('Invalid object: metadata.', 'metadata');
    if (node.size > METADATA_MEMBERS_MAX) {
      throw invalid(`metadata has more than ${METADATA_MEMBERS_MAX} members.`, 'metadata');
    }
    for (const [name, value] of node) {
      const param = `metadata[${name}]`;
      if (typeof value !== 'string') throw invalid(`Invalid string: ${param}.`, param);
      if (name.length > METADATA_NAME_MAX || value.length > METADATA_VALUE_MAX) {
        throw invalid(
          `Metadata names have at most ${METADATA_NAME_MAX} characters, values at most ${METADATA_VALUE_MAX}.`,
          param,
        );
      }
      if (value === '') continue;
      // An assignment to `__proto__` would change the object's prototype instead.
      Object.defineProperty(metadata, name, { value, enumerable: true, configurable: true });
    }
    return metadata;
  }

  /** `expand[]=a&expand[]=b` as a list of paths. */
  expand(): string[] {
    return this.list('expand');
  }

  list(name: string): string[] {
    const node = this.form.tree.get(name);
    if (node === undefined || node === '') return [];
    if (typeof node === 'string') throw invalid(`Invalid array: ${name}.`, name);
    return [...node.values()].map((value) => {
      if (typeof value !== 'string') throw invalid(`Invalid array: ${name}.`, name);
      return value;
    });
  }

  /** A bare number, or bounds such as `created[gte]=…`, as a test on seconds. */
  range(name: string): (seconds: number) => boolean {
    const node = this.form.tree.get(name);
    if (node === undefined || node === '') return () => true;
    const bounds: FormTree = typeof node === 'string' ? new Map([['eq', node]]) : node;
    const tests = [...bounds].map(([kind, value]) => {
      const limit = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : NaN;
      const test = Number.isNaN(limit) || !Object.hasOwn(BOUNDS, kind) ? undefined : BOUNDS[kind];
      if (test === undefined) throw invalid(`Invalid timestamp: ${name}.`, name);
      return (seconds: number) => test(seconds, limit);
    });
    return (seconds) => tests.every((test) => test(seconds));
  }

  /** Stripe refuses parameters that it does not know, so that a misspelt one cannot pass unseen. */
  allow(names: readonly string[]): void {
    for (const name of this.form.tree.keys()) {
      if (names.includes(name) || name === 'expand') continue;
      throw invalid(`Received unknown parameter: ${name}`, name, 'parameter_unknown');
    }
  }
}

const BOUNDS: Record<string, (value: number, limit: number) => boolean> = {
  eq: (value, limit) => value === limit,
  gt: (value, limit) => value > limit,
  gte: (value, limit) => value >= limit,
  lt: (value, limit) => value < limit,
  lte: (value, limit) => value <= limit,
};
