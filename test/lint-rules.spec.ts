import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * The linter's rules, seen red: files that break them are planted in a copy of the repository's frame
 * and linted, all in one run, with the very configuration of this repository.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const GROUND = ['money', 'problems', 'seams', 'json'];
const SIBLINGS = ['idempotency', 'ledger', 'events', 'processor', 'accounts', 'operations'];
const CORE = [...GROUND, 'postgres', ...SIBLINGS, 'payments'];

/** Who may import whom: one line a folder. `docs/architecture.md` draws the same picture. */
const MAY_IMPORT: Record<string, string[]> = {
  ...Object.fromEntries(GROUND.map((name) => [`libs/${name}`, []])),
  'libs/postgres': [...GROUND, 'postgres'],
  ...Object.fromEntries(SIBLINGS.map((name) => [`libs/${name}`, [...GROUND, 'postgres', name]])),
  'libs/payments': CORE,
  'libs/reconciliation': [...CORE, 'reconciliation'],
  'libs/platform': [...CORE, 'reconciliation', 'platform'],
  'libs/embedded': [...GROUND, 'postgres', 'embedded'],
  'libs/testing': [...CORE, 'reconciliation', 'platform', 'embedded', 'testing'],
  'apps/payments-api': [...CORE, 'reconciliation', 'platform'],
  'apps/recovery-worker': [...CORE, 'reconciliation', 'platform'],
  'apps/reconciliation': [...CORE, 'reconciliation', 'platform'],
  'apps/mock-processor': ['money', 'seams'],
  ops: [...CORE, 'reconciliation', 'platform', 'embedded'],
  'ops/conformance': [],
  'ops/checker': [],
  'ops/score': [],
};
// Not the folders: one whose first file is still to come does not exist in a fresh clone.
const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  imports: object;
};
const LIBRARIES = Object.keys(imports).map((name) => name.slice(1).replace('/*', ''));

/** Which packages of others each folder may import; where a folder is not named, none of them. */
const PACKAGES = [
  'pg',
  'typeorm',
  'stripe',
  'undici',
  '@nestjs/common',
  'fastify',
  'class-validator',
];
const FRAMEWORK = ['@nestjs/common', 'fastify', 'class-validator'];
const MAY_USE: Record<string, string[]> = {
  'libs/postgres': ['pg', 'typeorm'],
  'libs/processor': ['stripe', 'undici'],
  'libs/platform': ['typeorm', ...FRAMEWORK],
  'libs/embedded': ['pg'],
  'libs/testing': ['pg', 'typeorm', 'undici', ...FRAMEWORK],
  'apps/payments-api': FRAMEWORK,
  'apps/recovery-worker': FRAMEWORK,
  'apps/reconciliation': FRAMEWORK,
  'apps/mock-processor': FRAMEWORK,
  ops: FRAMEWORK,
};

const long = (lines: number) => `export function long() {\n${'  f();\n'.repeat(lines - 2)}}\n`;
/** One planted file, the rule that must refuse it, and a likeness that must pass. */
const PLANTED: { rule: string; path: string; red: string; green: string }[] = [
  {
    rule: 'max-lines-per-function',
    path: 'libs/money/src/long.ts',
    red: long(71),
    green: long(70),
  },
  {
    rule: 'max-lines',
    path: 'libs/money/src/many.ts',
    red: 'f();\n'.repeat(301),
    green: 'f();\n'.repeat(300),
  },
  {
    rule: 'no-barrel-file',
    path: 'libs/money/src/barrel.ts',
    red: "export * from './cycle-a.js';",
    green: 'export const a = 1;',
  },
  {
    rule: 'no-cycle',
    path: 'libs/money/src/cycle-b.ts',
    red: "import { a } from './cycle-a.js';\nexport const b = () => a;",
    green: 'export const b = 1;',
  },
  {
    rule: 'no-floating-promises',
    path: 'libs/money/src/float.ts',
    red: 'export async function f() {}\nf();',
    green: 'export async function f() {}\nawait f();',
  },
  {
    rule: 'no-restricted-imports',
    path: 'apps/mock-processor/src/config.ts',
    red: "import '#platform/config.js';",
    green: "import '#platform/logging.js';\nimport '#platform/parent.js';",
  },
  {
    rule: 'no-restricted-imports',
    path: 'libs/ledger/src/above.ts',
    red: "import '../../../apps/mock-processor/src/server.js';",
    green: "import '#money/money.js';",
  },
  {
    rule: 'no-restricted-imports',
    path: 'libs/payments/src/read-writes.ts',
    red: "import '#testing/database.js';",
    green: "import 'typeorm';",
  },
  {
    rule: 'no-restricted-imports',
    path: 'apps/payments-api/src/other.ts',
    red: "import '../../mock-processor/src/book.js';",
    green: "import './book.js';",
  },
  {
    rule: 'no-restricted-imports',
    path: 'libs/ledger/src/sideways.ts',
    red: "import '../../events/src/a.js';",
    green: "import './internal/a.js';",
  },
  {
    rule: 'no-restricted-imports',
    path: 'libs/platform/src/upward.ts',
    red: "import '../../../apps/payments-api/src/a.js';",
    green: "import './a.js';",
  },
  {
    rule: 'no-restricted-imports',
    path: 'ops/checker/src/above.ts',
    red: "import '../../command.js';",
    green: "import 'node:crypto';\nimport './world.js';",
  },
  {
    rule: 'no-restricted-imports',
    path: 'ops/score/src/above.ts',
    red: "import '#money/money.js';",
    green: "import 'node:fs';\nimport './score.js';",
  },
  {
    rule: 'no-restricted-imports',
    path: 'libs/payments/src/payment.entity.ts',
    red: "import '#ledger/a.js';",
    green: "import 'typeorm';",
  },
  {
    rule: 'no-restricted-imports',
    path: 'libs/payments/src/direct.ts',
    red: "import 'typeorm';",
    green: "import './payment.entity.js';",
  },
];

describe('the linter', () => {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-lint-'));
  let refused: Map<string, string[]>;

  beforeAll(() => {
    for (const file of ['.gitignore', '.oxlintrc.json', 'package.json', 'tsconfig.json'])
      cpSync(join(root, file), join(folder, file));
    // The type-aware half of the linter is looked up from the folder that is linted.
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    plant(
      'libs/money/src/cycle-a.ts',
      "import { b } from './cycle-b.js';\nexport const a = () => b;",
    );
    for (const { path, red, green } of PLANTED) {
      plant(path, red);
      plant(path.replace('/src/', '/src/green/'), green);
    }
    for (const from of Object.keys(MAY_IMPORT)) {
      const src = from.startsWith('ops') ? from : `${from}/src`;
      for (const library of LIBRARIES)
        plant(`${src}/to/${library}.ts`, `import '#${library}/a.js';`);
      for (const name of PACKAGES)
        plant(`${src}/uses/${name.replace('/', '-')}.ts`, `import '${name}';`);
    }
    refused = lint(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(PLANTED)('refuses $path by $rule, and its likeness not', ({ rule, path }) => {
    expect(refused.get(path)?.join('\n') ?? '').toContain(`(${rule})`);
    expect(refused.get(path.replace('/src/', '/src/green/')) ?? []).toEqual([]);
  });

  it('knows every library and application that exists', () => {
    const declared = LIBRARIES.map((name) => `libs/${name}`);
    const found = ['libs', 'apps'].flatMap((top) =>
      readdirSync(join(root, top)).map((name) => `${top}/${name}`),
    );
    expect(Object.keys(MAY_IMPORT)).toEqual(expect.arrayContaining([...declared, ...found]));
  });

  it.each(Object.entries(MAY_IMPORT))('lets %s import its layers only', (from, may) => {
    const src = from.startsWith('ops') ? from : `${from}/src`;
    const allowed = LIBRARIES.filter((library) => !refused.has(`${src}/to/${library}.ts`));
    expect(allowed.sort()).toEqual([...may].sort());
  });

  it.each(Object.keys(MAY_IMPORT))('lets %s use its packages only', (from) => {
    const src = from.startsWith('ops') ? from : `${from}/src`;
    const allowed = PACKAGES.filter(
      (name) => !refused.has(`${src}/uses/${name.replace('/', '-')}.ts`),
    );
    expect(allowed.sort()).toEqual([...(MAY_USE[from] ?? [])].sort());
  });

  it('says the reason with each restriction', () => {
    const messages = [...refused.values()]
      .flat()
      .filter((message) => message.includes('(no-restricted-imports)'));
    expect(messages.length).toBeGreaterThan(100);
    expect(messages.filter((message) => !/: .{30,}/.test(message))).toEqual([]);
  });

  function plant(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});

type Diagnostic = { code: string; filename: string; help?: string };

/** Every refused file, each with `(rule): reason`. */
function lint(cwd: string): Map<string, string[]> {
  const args = [
    join(root, 'node_modules/oxlint/bin/oxlint'),
    '--disable-nested-config',
    '--format',
    'json',
  ];
  const run = spawnSync(process.execPath, args, { cwd, encoding: 'utf8', maxBuffer: 64 << 20 });
  if (!run.stdout.startsWith('{')) throw new Error(run.stdout + run.stderr);
  const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: Diagnostic[] };
  const found = new Map<string, string[]>();
  for (const { code, filename, help } of diagnostics) {
    const message = `(${code.replace(/^.*\((.*)\)$/, '$1')}): ${help ?? ''}`;
    found.set(filename, [...(found.get(filename) ?? []), message]);
  }
  return found;
}
