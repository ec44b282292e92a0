import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let temporary: string;
let figures: ChildProcess;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'payonce-figures-spec-'));
  chmodSync(temporary, 0o711); // root's database runs as another user
});
afterEach(() => {
  figures.kill('SIGKILL');
  rmSync(temporary, { recursive: true, force: true });
});

describe('npm run figures', () => {
  it.each([
    ['while the database is made', 'Making a new database'],
    ['while it measures', 'planted 2000 of'],
  ])('stops at Ctrl-C %s, and leaves nothing behind', async (_when, word) => {
    const { code, printed } = await run(['--reconciliation', '--lines', '2000,3000'], (said) => {
      if (said.includes(word)) interrupt();
    });
    expect(printed).toBe('STOPPED: nothing was measured.\n');
    expect(code).toBe(2);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('looks at every size before it measures the first', async () => {
    const { code, printed } = await run(['--reconciliation', '--lines', '2000,1']);
    expect(printed).toBe('');
    expect(code).toBe(2);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

/** As a terminal does it: everything that was started hears it. */
function interrupt(): void {
  if (figures.pid !== undefined) process.kill(-figures.pid, 'SIGINT');
}

/** The command as it is run by hand, with a folder for temporary files of its own. */
function run(args: string[], heard: (said: string) => void = () => {}) {
  figures = spawn(process.execPath, ['ops/run.mjs', 'figures', ...args], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let printed = '';
  figures.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  figures.stderr?.setEncoding('utf8').on('data', heard);
  return new Promise<{ code: number | null; printed: string }>((resolve) => {
    figures.once('close', (code) => resolve({ code, printed }));
  });
}
