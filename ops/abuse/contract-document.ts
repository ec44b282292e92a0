/** A schema as OpenAPI 3.0 writes it, as far as ours uses it. */
export type Schema = {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  nullable?: boolean;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  example?: unknown;
};

export type Parameter = { name: string; in: 'path' | 'query' | 'header'; schema: Schema };

/** What one status of one route may carry. */
export type DeclaredAnswer = {
  /** Of a success. */
  schema: Schema | null;
  /** Of a problem. */
  codes: ReadonlySet<string>;
};

export type Operation = {
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | null;
  answers: ReadonlyMap<number, DeclaredAnswer>;
};

/** What the API says of itself, read as a stranger reads it. */
export class ContractDocument {
  private constructor(
    readonly operations: readonly Operation[],
    private readonly schemas: Readonly<Record<string, Schema>>,
  ) {}

  static async read(url: string): Promise<ContractDocument> {
    const answer = await fetch(`${url}/openapi.json`);
    if (answer.status !== 200) throw new Error(`${url}/openapi.json answers ${answer.status}`);
    const { paths, components } = (await answer.json()) as RawDocument;
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, raw]) => readOperation(method, path, raw)),
    );
    return new ContractDocument(operations, components.schemas);
  }

  get problem(): Schema {
    return { $ref: '#/components/schemas/ProblemDto' };
  }

  /** Which operation takes this method at this address; null if none does. */
  find(method: string, target: string): Operation | null {
    const path = plain(target.split('?', 1)[0] ?? '');
    return (
      this.operations.find((one) => one.method === method && patternOf(one).test(path)) ?? null
    );
  }

  resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    if (name === undefined) return schema;
    const found = this.schemas[name];
    if (found === undefined) throw new Error(`The document has no schema ${name}`);
    return found;
  }

  /** Why a value is not what a schema says, or null. A member that it does not list is a leak. */
  faultOf(schema: Schema, value: unknown, at = ''): string | null {
    const own = this.resolve(schema);
    if (value === null) return own.nullable === true ? null : `${at} is null`;
    for (const part of own.allOf ?? []) {
      const fault = this.faultOf(part, value, at);
      if (fault !== null) return fault;
    }
    if (own.allOf) return null;
    if (own.oneOf) {
      const fits = own.oneOf.some((one) => this.faultOf(one, value, at) === null);
      return fits ? null : `${at} is none of its forms`;
    }
    if (own.enum && !own.enum.includes(value)) return `${at} is ${JSON.stringify(value)}`;
    if (own.type !== undefined && !hasType(own.type, value)) return `${at} is no ${own.type}`;
    if (own.type === 'array') return this.#faultOfItems(own, value as unknown[], at);
    return own.type === 'object' ? this.#faultOfMembers(own, value as object, at) : null;
  }

  #faultOfItems({ items }: Schema, value: unknown[], at: string): string | null {
    if (items === undefined) return null;
    for (const [index, item] of value.entries()) {
      const fault = this.faultOf(items, item, `${at}[${index}]`);
      if (fault !== null) return fault;
    }
    return null;
  }

  #faultOfMembers(schema: Schema, value: object, at: string): string | null {
    const missing = schema.required?.find((name) => !Object.hasOwn(value, name));
    if (missing !== undefined) return `${at}.${missing} is missing`;
    for (const [name, member] of Object.entries(value)) {
      const known = schema.properties?.[name] ?? schema.additionalProperties;
      if (known === undefined || known === false) return `${at}.${name} is not declared`;
      const fault = known === true ? null : this.faultOf(known, member, `${at}.${name}`);
      if (fault !== null) return fault;
    }
    return null;
  }
}

type RawOperation = {
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  responses: Record<
    string,
    { description?: string; content?: Record<string, { schema?: Schema }> }
  >;
};
type RawDocument = {
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Record<string, Schema> };
};

/** A problem's codes stand in the description of its status, each with the address of its page. */
const CODE = /\]\(\/docs\/problems\/(\w+)\)/g;

function readOperation(method: string, path: string, raw: RawOperation): Operation {
  const answers = Object.entries(raw.responses).map(([status, { description, content }]) => {
    const codes = new Set([...(description ?? '').matchAll(CODE)].map(([, code = '']) => code));
    return [
      Number(status),
      { schema: content?.['application/json']?.schema ?? null, codes },
    ] as const;
  });
  return {
    method: method.toUpperCase(),
    path,
    parameters: raw.parameters ?? [],
    body: raw.requestBody?.content?.['application/json']?.schema ?? null,
    answers: new Map(answers),
  };
}

function patternOf({ path }: Operation): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

/** A letter that is written as a code is still that letter (RFC 3986, 6.2.2.2). */
function plain(path: string): string {
  return path.replaceAll(/%[46][1-9a-f]|%[57][0-9a]|%3[0-9]|%2[de]|%5f|%7e/gi, decodeURIComponent);
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'object') return typeof value === 'object' && !Array.isArray(value);
  return typeof value === type;
}
