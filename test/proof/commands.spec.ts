import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { main as conformance } from '../../ops/conformance.js';
import { main as docs } from '../../ops/docs.js';
import { main as drill } from '../../ops/drill.js';
import { main as migrate } from '../../ops/migrate.js';
import { main as model } from '../../ops/model.js';
import { main as mutants } from '../../ops/mutants.js';
import { main as prove } from '../../ops/prove.js';
import { main as simulate } from '../../ops/simulate.js';
import { main as verify } from '../../ops/verify.js';
import { withServer } from '../../ops/simulate/stage.js';

const COMMANDS = { conformance, docs, drill, migrate, model, mutants, prove, simulate, verify };
const NAMES = Object.keys(COMMANDS) as (keyof typeof COMMANDS)[];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payonce-commands-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = undefined;
  vi.restoreAllMocks();
});

describe('the commands of the proof', () => {
  it.each(NAMES)('%s could not run with an option that it does not know', async (name) => {
    expect(await run(name, ['--no-such-thing'])).toContain('--no-such-thing');
    expect(process.exitCode).toBe(2);
  });

  it.each(NAMES)('%s could not run with a word too many', async (name) => {
    await run(name, ['one', 'two']);
    expect(process.exitCode).toBe(2);
  });

  it.each(['migrate', 'verify'] as const)('%s names that word, and does nothing', async (name) => {
    expect(await run(name, ['one'])).toContain('one is not an option');
  });

  it.each([
    ['model', []],
    ['mutants', ['--only', 'p1']],
    ['prove', ['--taste', '--only', 'kills']],
    ['simulate', ['--seeds', '1..1']],
    ['conformance', ['http://127.0.0.1:1', '--key', 'k']],
  ] as const)('%s looks first whether its results can be kept', async (name, args) => {
    expect(await run(name, [...args, '--out', written('taken', 'a file')])).toContain('--out');
    expect(process.exitCode).toBe(2);
  });

  it.each([
    ['no list', '{"mutants": 1}', 'no saved list'],
    ['no JSON', '{"plan": {', 'not JSON'],
    [
      'choices that are none',
      '{"plan": {"seed": "1", "clients": []}, "choices": [-1]}',
      'no saved',
    ],
  ])('simulate repeats nothing out of a file with %s', async (_, text, says) => {
    const said = await run('simulate', ['--replay', written('list.json', text), '--out', folder]);
    expect(said).toContain(says);
    expect(process.exitCode).toBe(2);
  });

  it.each([
    ['no list', '{}', 'no list of mutants'],
    ['none', '[]', 'no mutant'],
  ])('mutants finds nothing out of a file with %s', async (_, text, says) => {
    expect(await run('mutants', ['--list', written('list.json', text)])).toContain(says);
    expect(process.exitCode).toBe(2);
  });

  it('simulate has a database of its own, whatever home is set', async () => {
    const before = process.env['PAYONCE_HOME'];
    process.env['PAYONCE_HOME'] = folder;
    try {
      await withServer(async (url) => expect(url).toContain('postgres://'));
    } finally {
      if (before === undefined) delete process.env['PAYONCE_HOME'];
      else process.env['PAYONCE_HOME'] = before;
    }
    expect(existsSync(folder)).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('prove judges no folder without books', async () => {
    expect(await run('prove', ['--check', folder])).toContain('no books to judge: d.jsonl');
    expect(process.exitCode).toBe(2);
  });
});

function written(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** What it says to people; what it prints beside that is nobody's here. */
async function run(name: keyof typeof COMMANDS, args: string[]): Promise<string> {
  const said: string[] = [];
  const hear = (text: unknown) => said.push(String(text)) > 0;
  vi.spyOn(process.stderr, 'write').mockImplementation(hear);
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  vi.spyOn(console, 'error').mockImplementation(hear);
  await COMMANDS[name](args);
  return said.join('\n');
}
