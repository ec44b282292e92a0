import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

describe('the commands', () => {
  it('are listed by help, all of them and no other', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const printed = node(['ops/help.mjs']).stdout.split('\n').slice(1).join('\n');
    const named = [...printed.matchAll(/^ {2}(\S+) +\S.*\.$/gm)].map(([, name = '']) => name);
    expect(named.toSorted()).toEqual(Object.keys(scripts).toSorted());
  });

  it('start their process with exec, so that a signal to npm reaches it', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(Object.values(scripts).filter((script) => !script.startsWith('exec node '))).toEqual([]);
  });

  it.each(['test', 'soak', 'check', 'help', 'build'])(
    '%s tells what it does when asked with --help',
    (name) => {
      const { status, stdout } = node([`ops/${name}.mjs`, '--help']);
      expect(status).toBe(0);
      expect(stdout).toContain('npm ');
    },
  );

  it.each(['check', 'soak'])('%s refuses an argument that it does not know', (name) => {
    const { status, stderr } = node([`ops/${name}.mjs`, '--fast']);
    expect(status).toBe(2);
    expect(stderr).toContain('--fast');
  });
});

describe('the closing line of npm test', () => {
  it.each([
    {
      what: 'all green',
      spec: "it('a', () => {}); it('b', () => {});",
      line: '2 passed, 0 failed',
    },
    {
      what: 'one red',
      spec: "it('a', () => {}); it('b', () => { throw new Error('no'); });",
      line: '1 passed, 1 failed',
    },
    {
      what: 'one skipped',
      spec: "it('a', () => {}); it.skip('b', () => {});",
      line: '1 passed, 0 failed, 1 skipped',
    },
    {
      what: 'a file that cannot be loaded',
      spec: "throw new Error('no');",
      line: '0 passed, 1 failed',
    },
    {
      what: 'an error outside of any test',
      spec: "it('a', () => { setTimeout(() => { throw new Error('late'); }); }); it('b', () => new Promise((r) => setTimeout(r, 50)));",
      line: '2 passed, 1 failed',
    },
  ])('counts $what', ({ spec, line }) => {
    expect(lastLineOf(COUNT, { 'a.spec.mjs': spec })).toBe(line);
  });

  it.each([
    { what: 'passes then', spec: FAILS_ONCE, line: '2 passed, 0 failed' },
    { what: 'fails again', spec: FAILS, line: '1 passed, 1 failed' },
    { what: 'cannot be loaded', spec: "throw new Error('no');", line: '0 passed, 1 failed' },
  ])('--again runs what failed once more, and it $what', ({ spec, line }) => {
    expect(lastLineOf(COUNT_AGAIN, { 'a.spec.mjs': spec })).toBe(line);
  });

  it('--again leaves it at once when much has failed', () => {
    const files = Array.from({ length: 5 }, (_, at) => [`a${at}.spec.mjs`, FAILS_ONCE]);
    expect(lastLineOf(COUNT_AGAIN, Object.fromEntries(files))).toBe('5 passed, 5 failed');
  });
});

const FAILS = "it('a', () => {}); it('b', () => { throw new Error('no'); });";
const FAILS_ONCE = `
  import { existsSync, writeFileSync } from 'node:fs';
  const mark = import.meta.filename + '.met';
  it('a', () => {});
  it('b', () => { if (!existsSync(mark)) { writeFileSync(mark, ''); throw new Error('once'); } });`;

/** Of a script that runs the spec files of a folder. */
function lastLineOf(script: string, specs: Record<string, string>): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-counts-'));
  try {
    for (const [name, spec] of Object.entries(specs)) writeFileSync(join(folder, name), spec);
    const config = join(folder, 'vitest.config.mjs');
    writeFileSync(config, "export default { test: { globals: true, include: ['*.spec.mjs'] } };");
    const { stdout } = node(['--input-type=module', '--eval', script, folder, config]);
    return stdout.trimEnd().split('\n').at(-1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const COUNT = `
  import { closingLine, runVitest } from './ops/test.mjs';
  const [folder, config] = process.argv.slice(1);
  console.log(closingLine(await runVitest(['--root', folder, '--config', config])));
`;
const COUNT_AGAIN = `
  import { closingLine, runAgain, runVitest } from './ops/test.mjs';
  const [folder, config] = process.argv.slice(1);
  const run = (args) => runVitest(['--root', folder, '--config', config, ...args]);
  console.log(closingLine(await runAgain(await run([]), run)));
`;

function node(args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { VITEST: _inner, ...env } = process.env;
  return spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
}
