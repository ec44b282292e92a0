import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A command as it is run by hand in a terminal, with a folder for temporary files of its own. */
export class ByHand {
  readonly #temporary = mkdtempSync(join(tmpdir(), 'payonce-by-hand-'));
  #child: ChildProcess | null = null;

  constructor() {
    chmodSync(this.#temporary, 0o711); // root's database runs as another user
  }

  /** `heard` is told what it says of its progress. */
  run(args: string[], heard: (said: string) => void = () => {}) {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, TMPDIR: this.#temporary },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.stderr.setEncoding('utf8').on('data', heard);
    return new Promise<{ code: number | null; printed: string }>((resolve) => {
      child.once('close', (code) => resolve({ code, printed }));
    });
  }

  /** To the command alone, as a supervisor does it. */
  end(): void {
    this.#child?.kill('SIGINT');
  }

  /** As a terminal does it: everything that was started hears it. */
  interrupt(): void {
    if (this.#child?.pid !== undefined) process.kill(-this.#child.pid, 'SIGINT');
  }

  /** Names of what lies in its folder for temporary files. */
  left(): string[] {
    return readdirSync(this.#temporary);
  }

  close(): void {
    this.#child?.kill('SIGKILL');
    rmSync(this.#temporary, { recursive: true, force: true });
  }
}
