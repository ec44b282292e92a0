/** A control call that is refused with 400, naming the member that is wrong. */
export class ControlRefusal extends Error {
  constructor(
    readonly param: string | null,
    message: string,
  ) {
    super(message);
  }
}

/** A JSON object as a control call sends it. Each getter refuses a member of another form by name. */
export class ControlBody {
  readonly #members: Record<string, unknown>;

  constructor(body: unknown) {
    const members = jsonObject(body);
    if (!members) throw new ControlRefusal(null, 'A JSON object is expected.');
    this.#members = members;
  }

  allow(names: readonly string[]): void {
    for (const name of Object.keys(this.#members)) {
      if (names.includes(name)) continue;
      const shown = name.slice(0, 80);
      throw new ControlRefusal(shown, `${shown} is unknown; known are ${names.join(', ')}.`);
    }
  }

  has(name: string): boolean {
    return this.#at(name) !== null;
  }

  integer(name: string, min: number, max: number): number | null {
    const value = this.#at(name);
    if (value === null || isWithin(value, min, max)) return value;
    throw new ControlRefusal(name, `${name} is a whole number from ${min} to ${max}.`);
  }

  boolean(name: string): boolean | null {
    const value = this.#at(name);
    if (value === null || typeof value === 'boolean') return value;
    throw new ControlRefusal(name, `${name} is true or false.`);
  }

  choice<Value extends string>(name: string, values: readonly Value[]): Value | null {
    const value = this.#at(name);
    const chosen = values.find((candidate) => candidate === value);
    if (value === null || chosen !== undefined) return chosen ?? null;
    throw new ControlRefusal(name, `${name} is one of ${values.join(', ')}.`);
  }

  string(name: string): string | null {
    const value = this.#at(name);
    if (value === null) return null;
    if (typeof value === 'string' && value !== '') return value;
    throw new ControlRefusal(name, `${name} is a text.`);
  }

  /** A list of objects. */
  objects(name: string, max: number): Record<string, unknown>[] {
    const value = this.#at(name);
    const isList = Array.isArray(value) && value.length <= max && value.every(isObject);
    if (isList) return value;
    throw new ControlRefusal(name, `${name} is a list of at most ${max} objects.`);
  }

  texts(name: string): string[] {
    const value = this.#at(name);
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw new ControlRefusal(name, `${name} is a list of texts.`);
  }

  /** An RFC 3339 instant in milliseconds. */
  instant(name: string): number | null {
    const value = this.string(name);
    if (value === null) return null;
    const ms = INSTANT.test(value) ? Date.parse(value) : NaN;
    if (!Number.isNaN(ms)) return ms;
    throw new ControlRefusal(name, `${name} is an instant such as 2026-01-31T12:00:00Z.`);
  }

  #at(name: string): unknown {
    return Object.hasOwn(this.#members, name) ? (this.#members[name] ?? null) : null;
  }
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

export function jsonObject(body: unknown): Record<string, unknown> | null {
  if (!Buffer.isBuffer(body)) return null;
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isWithin(value: unknown, min: number, max: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}
