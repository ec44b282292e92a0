// Builds the TypeScript sources. Two builds exist, in folders of their own:
//   dist/       the production build (`npm run build`): no failpoints, refuses demo secrets
//   dist-demo/  the demonstration build that `npm start` and the tests run
// Each is complete in itself; only the small modules named in FAULT_BUILD_ONLY differ.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Said in one line: the compiler's own lines stand above it, and our stack would bury them. */
export class BuildError extends Error {}

/** Modules that the production build replaces by their empty twin (`name.production.js`). */
const FAULT_BUILD_ONLY = ['libs/seams/src/failpoints', 'libs/seams/src/build-kind'];

/** Builds into the folder of that kind unless its stamp says that the sources are unchanged. */
export function build(kind) {
  const name = kind === 'production' ? 'dist' : 'dist-demo';
  const folder = join(root, name);
  const stamp = sourceStamp();
  if (stampOf(folder) === stamp) return { folder, fresh: false };
  // Built aside and then moved into place: a running process, or a second build, never sees half of one.
  removeLeftovers();
  const aside = join(root, `${name}.${process.pid}`);
  try {
    compile(aside);
    chooseFaultModules(aside, kind);
    if (kind === 'demonstration')
      writeFileSync(join(aside, 'package.json'), demonstrationManifest());
    writeFileSync(join(aside, '.stamp'), stamp);
    putInPlace(aside, folder, stamp);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return { folder, fresh: true };
}

/** What builds left that were killed: folders that carry the number of a process that is gone. */
function removeLeftovers() {
  for (const entry of readdirSync(root)) {
    const pid = /^dist(?:-demo)?\.(\d+)(?:\.old)?$/.exec(entry)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(root, entry), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function stampOf(folder) {
  const file = join(folder, '.stamp');
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** Two builds at once may both come here: the later one finds the other's, and takes it if it is the same. */
function putInPlace(aside, folder, stamp) {
  for (let tries = 0; stampOf(folder) !== stamp; tries += 1) {
    const old = `${aside}.old`;
    try {
      if (existsSync(folder)) renameSync(folder, old);
      renameSync(aside, folder);
    } catch (error) {
      if (tries === 10 || !['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code))
        throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

function compile(outDir) {
  const tsc = join(root, 'node_modules/typescript7/bin/tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', outDir];
  const run = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (run.status !== 0)
    throw new BuildError(
      `The TypeScript build failed (exit ${run.status}); the lines above say where.`,
    );
}

function chooseFaultModules(out, kind) {
  for (const module of FAULT_BUILD_ONLY) {
    for (const end of ['.js', '.js.map']) {
      const twin = join(out, `${module}.production${end}`);
      if (kind === 'production') renameSync(twin, join(out, module + end));
      else rmSync(twin);
    }
  }
}

/** `#lib/*` must lead into dist-demo, not into dist: the nearest package.json decides. */
function demonstrationManifest() {
  const { name, version, imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const here = Object.entries(imports).map(([key, to]) => [
    key,
    to.default.replace('./dist/', './'),
  ]);
  return JSON.stringify(
    { name, version, private: true, type: 'module', imports: Object.fromEntries(here) },
    null,
    2,
  );
}

/** A hash over every file that the compiler reads and over the compiler's settings. */
export function sourceStamp() {
  const hash = createHash('sha256');
  const add = (file) =>
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  for (const file of [
    'package-lock.json',
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'ops/build.mjs',
  ])
    add(file);
  for (const top of ['apps', 'libs', 'ops']) {
    for (const file of readdirSync(join(root, top), { recursive: true }).map(String).sort()) {
      if (file.endsWith('.ts') && !file.endsWith('.spec.ts')) add(join(top, file));
    }
  }
  return hash.digest('hex');
}

const HELP = `npm run build

Makes the production build in dist/: without failpoints, and it refuses demo secrets. Does nothing when
the sources have not changed since.

  --help   prints this
Exits 1 when the TypeScript build failed.
`;

function main(args) {
  if (args.includes('--help') || args.includes('-h')) return process.stdout.write(HELP);
  const kind = args.includes('--production') ? 'production' : 'demonstration';
  try {
    const { folder, fresh } = build(kind);
    console.log(
      fresh
        ? `Built the ${kind} build into ${folder}`
        : `The ${kind} build in ${folder} is up to date`,
    );
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2));
