import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let temporary: string;
let drill: ChildProcess;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'payonce-drill-spec-'));
  chmodSync(temporary, 0o711); // root's database runs as another user
});
afterEach(() => {
  drill.kill('SIGKILL');
  rmSync(temporary, { recursive: true, force: true });
});

// A drill that finds something waits until all has come to rest, which then takes minutes.
describe('npm run drill -- restore', { timeout: 420_000 }, () => {
  it('finds again what was lost, and charges nothing twice', async () => {
    const { code, printed } = await run();
    expect(printed).toContain(
      'HELD: what was lost was found again, and nothing was charged twice.',
    );
    expect(printed).toContain('503 recovering');
    expect(code).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('does so where nobody says that the database was restored', async () => {
    const { code, printed } = await run(() => {}, ['--undeclared']);
    expect(printed).toContain('the API saw that the server goes on from another timeline');
    expect(printed).toContain('503 recovering');
    expect([printed.split(':')[0], code]).toEqual(['HELD', 0]);
  });

  it('stops at Ctrl-C, and leaves nothing behind', async () => {
    const { code, printed } = await run((line) => {
      if (line.includes('base backup')) drill.kill('SIGINT');
    });
    expect(printed).toBe('STOPPED: nothing is shown.\n');
    expect(code).toBe(2);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

/** The command as it is run by hand, with a folder for temporary files of its own. */
function run(heard: (said: string) => void = () => {}, options: string[] = []) {
  drill = spawn(process.execPath, ['ops/run.mjs', 'drill', 'restore', ...options], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  drill.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  drill.stderr?.setEncoding('utf8').on('data', heard);
  return new Promise<{ code: number | null; printed: string }>((resolve) => {
    drill.once('close', (code) => resolve({ code, printed }));
  });
}
