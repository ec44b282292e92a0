import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { RunRecord } from '#embedded/run-record.js';

export const ROOT = join(import.meta.dirname, '../..');
/** Several whole starts, with a build before the first, on a machine that has other work too. */
export const START_TEST_MS = 240_000;
const PATIENCE_MS = 90_000;

const homes: string[] = [];

/** A folder of a test's own for the database and the mock's book. */
export function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'payonce-start-'));
  chmodSync(home, 0o711);
  homes.push(home);
  return home;
}

export function removeHomes(): void {
  for (const home of homes.splice(0)) {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

export interface StartOptions {
  home: string;
  args?: string[];
  env?: NodeJS.ProcessEnv;
  /** The command as a person types it, unless a test needs another. */
  command?: string[];
  cwd?: string;
  identity?: { uid: number; gid: number };
}

/** `npm start` as a process, its output, and every process that it led to. */
export class StartRun {
  output = '';
  readonly ended: Promise<number | null>;
  readonly child: ChildProcess;
  readonly #seen = new Map<number, string>();

  constructor(private readonly options: StartOptions) {
    const { home, args = [], env = {}, cwd = ROOT, identity = {} } = options;
    const [program = '', ...words] = options.command ?? ['npm', 'start', '--', ...args];
    this.child = spawn(program, words, {
      cwd,
      ...identity,
      env: { ...cleanEnvironment(), PAYONCE_HOME: home, PORT: '0', MOCK_PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a process group of its own, as a terminal gives to a command
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.ended = new Promise((resolve) => this.child.once('close', (code) => resolve(code)));
  }

  async untilSays(words: RegExp): Promise<RegExpExecArray> {
    return until(`"${words.source}" in the output`, () => words.exec(this.output), this);
  }

  async untilReady(): Promise<this> {
    await this.untilSays(/Payonce is ready[^]*curl[^]*order_id[^\n]*\n/);
    return this;
  }

  /** The curl command on the screen, as a person copies it. */
  printedCommand(): string {
    const [command] = /^curl [^]*?order_id[^\n]*$/m.exec(this.output) ?? [];
    if (!command) throw new Error(`no curl in\n${this.output}`);
    return command;
  }

  /** Pastes a command of this or an earlier run, whose port may have been another one. */
  async paste(command: string): Promise<{ status: number; replayed: boolean; body: string }> {
    const here = command.replace(/http:\/\/127\.0\.0\.1:\d+/, this.record.apiUrl);
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', here]);
    const [head = '', body = ''] = stdout.split(/\r?\n\r?\n/);
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
    return { status, replayed: /^idempotent-replayed: true/im.test(head), body };
  }

  /** What the card processor booked. */
  async book(): Promise<{ operation: string }[]> {
    const answer = await fetch(`${this.record.mockUrl}/_control/book`);
    const lines = (await answer.text()).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as { operation: string });
  }

  get record(): RunRecord {
    return JSON.parse(readFileSync(join(this.options.home, 'run.json'), 'utf8')) as RunRecord;
  }

  /** Every live process that descends from the command, the command included. */
  tree(): Process[] {
    const all = processes();
    const found = all.filter(({ pid }) => pid === this.child.pid);
    for (let index = 0; index < found.length; index += 1) {
      found.push(...all.filter(({ parent }) => parent === found[index]?.pid));
    }
    for (const { pid, command } of found) this.#seen.set(pid, command);
    return found;
  }

  pidOf(words: string): number {
    const found = this.tree().find(({ command }) => command.includes(words));
    if (!found)
      throw new Error(`no process of ${words} in\n${JSON.stringify(this.tree(), null, 1)}`);
    return found.pid;
  }

  /** What a test does at its end, whatever happened in it. */
  async cleanUp(): Promise<void> {
    if (this.tree().length > 0) this.child.kill('SIGTERM');
    await Promise.race([this.ended, pause(20_000, undefined, { ref: false })]);
    // Also what lost its parent because the test failed.
    for (const { pid, command } of processes()) {
      if (this.#seen.get(pid) === command) kill(pid, 'SIGKILL');
    }
  }
}

export interface Process {
  pid: number;
  parent: number;
  command: string;
}

export function processes(): Process[] {
  const table = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args='], {
    encoding: 'utf8',
  });
  return table.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    if (!match || match[3]?.startsWith('Z')) return [];
    return [{ pid: Number(match[1]), parent: Number(match[2]), command: match[4] ?? '' }];
  });
}

export async function untilGone(gone: Process[]): Promise<void> {
  const left = () => {
    const live = processes();
    return gone.filter(({ pid, command }) =>
      live.some((process) => process.pid === pid && process.command === command),
    );
  };
  await until('no process left', () => (left().length === 0 ? true : undefined)).catch(() => {
    throw new Error(`still running: ${JSON.stringify(left(), null, 1)}`);
  });
}

export async function until<T>(
  what: string,
  look: () => T | undefined | null | Promise<T | undefined | null>,
  run?: StartRun,
): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null) return seen;
    const end = run?.child.exitCode ?? run?.child.signalCode ?? undefined;
    if (performance.now() > deadline || end !== undefined) {
      throw new Error(`never came: ${what} (the command's end: ${end})\n${run?.output ?? ''}`);
    }
    await pause(50);
  }
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** What a person's shell would have: npm's variables of the test run itself taken out. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const names = /^(npm_|VITEST|NODE_ENV|NODE_OPTIONS|DATABASE_URL|INIT_CWD)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.test(name)));
}
