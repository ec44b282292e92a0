import { UsageError, outFolder, refuseWords, runCommand } from './command.js';
import { type AllowedGraph, joined } from './model/allowed-graph.js';
import { DESIGN_ERRORS, type DesignError } from './model/designs.js';
import { writeModelReport } from './model/report.js';
import { type Found, search } from './model/search.js';
import { type Capture, FAULTS_MAX, type Scope } from './model/state.js';

const HELP = `npm run model

Searches the protocol as a small state machine, every state of it: clients that retry, workers that recover, one
intent, and up to three faults in any order (a process killed at any step, a lost request or answer, a COMMIT that
nobody hears of, an error that the processor keeps, a lease that ends under a living owner, 429, a cancel, a decline
that was none). In every state the invariants must hold, and from every state the work must be able to end.

  --clients N    1 to 3 (2)
  --workers N    1 to 3 (2)
  --faults N     0 to ${FAULTS_MAX} (3); each one more makes eight to sixteen times as many states
  --error NAME   searches a design with an error, which must be found: ${Object.keys(DESIGN_ERRORS).join(', ')}
  --out FOLDER   where report.json goes (./proof)
  --help         prints this
Exits 0 when everything held, 1 when an invariant was violated (its shortest way is printed), 2 when it could not run.
`;

const OPTIONS = {
  clients: { type: 'string', default: '2' },
  workers: { type: 'string', default: '2' },
  faults: { type: 'string', default: '3' },
  error: { type: 'string' },
  out: { type: 'string', default: './proof' },
} as const;

const CAPTURES: readonly Capture[] = ['automatic', 'manual'];

/** `npm run model`. */
export async function main(args: string[]): Promise<void> {
  await runCommand({ args, help: HELP, options: OPTIONS }, async (values, words) => {
    refuseWords(words);
    const size = {
      clients: numberOf(values['clients'], 'clients', 1, 3),
      workers: numberOf(values['workers'], 'workers', 1, 3),
      faults: numberOf(values['faults'], 'faults', 0, FAULTS_MAX),
    };
    const error = errorOf(values['error']);
    const out = outFolder(values['out']);
    const searched: SearchedScope[] = [];
    for (const capture of CAPTURES) {
      const one = searchScope({ ...size, capture }, error);
      searched.push(one);
      if (one.found.violation) break;
    }
    const graph = joined(searched.map(({ found }) => found.graph));
    if (!error) printGraph(graph);
    await writeModelReport(out, searched, graph);
    return searched.some(({ found }) => found.violation) ? 1 : 0;
  });
}

export type SearchedScope = { scope: Scope; found: Found; seconds: number };

function searchScope(scope: Scope, error: DesignError | null): SearchedScope {
  const { clients, workers, faults, capture } = scope;
  say(`${capture} capture, clients ${clients}, workers ${workers}, faults up to ${faults}`);
  const startedMs = performance.now();
  const seconds = () => (performance.now() - startedMs) / 1000;
  const progress = (states: number) =>
    process.stderr.write(`  ${seconds().toFixed(0)} s  ${states.toLocaleString('en')} states\n`);
  const found = search({ scope, errors: new Set(error ? [error] : []) }, progress);
  const { states, edges, depth, violation } = found;
  say(
    `  ${states.toLocaleString('en')} states, ${edges.toLocaleString('en')} edges, ` +
      `depth ${depth}, ${seconds().toFixed(1)} s`,
  );
  if (violation) {
    say(`  VIOLATED ${violation.invariant}: ${violation.says}`);
    for (const [at, step] of violation.path.entries()) say(`  ${at + 1}. ${step}`);
  } else say('  every invariant holds in every state, and every state can come to rest');
  return { scope, found, seconds: seconds() };
}

function printGraph(graph: AllowedGraph): void {
  for (const part of ['payment', 'key'] as const) {
    say(`The ${part} moves`);
    for (const [from, tos] of Object.entries(graph[part])) say(`  ${from} → ${tos.join(', ')}`);
  }
}

function numberOf(value: unknown, name: string, min: number, max: number): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new UsageError(`--${name} is ${String(value)}, but must be a number from ${min} to ${max}`);
}

function errorOf(name: unknown): DesignError | null {
  if (name === undefined) return null;
  if (typeof name === 'string' && Object.hasOwn(DESIGN_ERRORS, name)) return name as DesignError;
  throw new UsageError(`--error must be one of ${Object.keys(DESIGN_ERRORS).join(', ')}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
