/**
 * A named, typed SQL statement: one constant beside the code that owns it, in a `*.sql.ts` file.
 * The name makes it a prepared statement on each connection; a test PREPAREs every registered one
 * against the migrated database, so that a misspelt column fails there and not at night.
 */
export type Statement<Row> = {
  readonly name: string;
  readonly text: string;
  /** Only in the type: what a row of the result looks like. */
  readonly row?: Row;
};

const registered = new Map<string, Statement<unknown>>();

/** Declares a statement. Throws on a name that is taken: two texts under one name would mix up their plans. */
export function statement<Row = Record<string, never>>(name: string, text: string): Statement<Row> {
  if (registered.has(name)) throw new Error(`Two SQL statements are named ${name}`);
  const made: Statement<Row> = { name, text };
  registered.set(name, made);
  return made;
}

/** Every statement whose module has been loaded, by name. */
export function registeredStatements(): readonly Statement<unknown>[] {
  return [...registered.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
