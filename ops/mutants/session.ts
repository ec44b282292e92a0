import { inspect } from 'node:util';
import { createVitest, type TestCase, type Vitest } from 'vitest/node';

/**
 * A process that keeps one Vitest, and its database server, for many short runs over one copy of the sources:
 * what changes between two runs is told, and everything else need not be loaded again.
 */
export type Request = { files: string[]; titles: string[]; changed: string[] };
export type TestResult = { file: string; title: string; state: string; errors: string[] };
export type Response = { results: TestResult[]; broken: string[] };

async function main(): Promise<void> {
  const root = process.cwd();
  // From the first moment on: nobody would hear of a parent that ends while Vitest starts.
  let started: Vitest | undefined;
  process.once('disconnect', () => {
    if (!started) process.exit();
    void started.close().finally(() => process.exit());
  });
  const vitest = await createVitest('test', {
    root,
    watch: false,
    reporters: [{}],
    isolate: true, // a worker that kept its modules would keep the unpatched ones
  });
  started = vitest;
  process.on('message', (request: Request) => {
    void run(vitest, root, request).then((response) => process.send?.(response));
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {}); // the parent ends us
  process.send?.('ready');
}

async function run(
  vitest: Vitest,
  root: string,
  { files, titles, changed }: Request,
): Promise<Response> {
  for (const file of changed) vitest.invalidateFile(`${root}/${file}`);
  vitest.setGlobalTestNamePattern(
    new RegExp(titles.map((title) => `${escaped(title)}$`).join('|')),
  );
  const project = vitest.getRootProject();
  const specs = files.map((file) => project.createSpecification(`${root}/${file}`));
  try {
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specs, false);
    const ours = testModules.filter(({ relativeModuleId }) => files.includes(relativeModuleId));
    return {
      results: ours.flatMap((module) =>
        [...module.children.allTests()].map((test) => resultOf(module.relativeModuleId, test)),
      ),
      broken: [
        ...ours.flatMap((module) => module.errors().map(({ message }) => message)),
        ...unhandledErrors.map((error) => inspect(error)), // as they came from the worker, some have no toString
      ],
    };
  } catch (error) {
    return { results: [], broken: [String(error)] };
  }
}

function resultOf(file: string, test: TestCase): TestResult {
  const { state, errors } = test.result();
  return {
    file,
    title: test.name,
    state,
    errors: (errors ?? []).map(({ name, message }) => `${name}: ${message}`),
  };
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

await main();
