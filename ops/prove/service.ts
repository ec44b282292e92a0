import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { checkoutRoot } from '#embedded/home.js';

export type LogLine = { level: string; event: string; [fact: string]: unknown };
export type Exit = { code: number | null; signal: NodeJS.Signals | null };
/** Called with every line that a service writes, its log and what a failpoint says before it acts. */
export type Listener = (line: LogLine) => void;

/** One service of the demonstration build as a real process, so that a kill is a real kill. It ends with us. */
export class Service {
  readonly pid: number;
  readonly exit: Promise<Exit>;
  #isOver = false;
  readonly #listeners = new Set<Listener>();
  readonly #lastLines: string[] = [];

  constructor(
    readonly app: 'payments-api' | 'recovery-worker' | 'mock-processor',
    env: Record<string, string>,
    listener: Listener,
  ) {
    const child = spawn(process.execPath, [mainOf(app)], {
      cwd: checkoutRoot(),
      env: { PATH: process.env['PATH'], PAYONCE_PARENT_PIPE: '1', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl-C in a terminal reaches the whole foreground group; who ends when is ours to say.
      detached: true,
    });
    this.#listeners.add(listener);
    this.pid = child.pid ?? 0;
    child.stdin?.on('error', () => {}); // it may die first
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => this.#read(line));
    this.exit = exitOf(child).then((exit) => {
      this.#isOver = true;
      return exit;
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#isOver) return;
    try {
      process.kill(this.pid, signal);
    } catch {
      // It ended in this instant.
    }
  }

  /** The first line of this event from now on; null when the process ends, or takes too long, before it. */
  async said(event: string, withinMs = 60_000): Promise<LogLine | null> {
    let stop = () => {};
    const heard = new Promise<LogLine | null>((resolve) => {
      const listener: Listener = (line) => {
        if (line.event === event) resolve(line);
      };
      const timer = setTimeout(resolve, withinMs, null);
      this.#listeners.add(listener);
      stop = () => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
      };
      void this.exit.then(() => resolve(null));
    });
    return heard.finally(() => stop());
  }

  get lastWords(): string {
    return this.#lastLines.join('\n');
  }

  #read(text: string): void {
    this.#lastLines.push(text);
    if (this.#lastLines.length > LAST_LINES) this.#lastLines.shift();
    const line = parse(text);
    for (const listener of this.#listeners) listener(line);
  }
}

const BUILD = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** What starts an app of this build. */
export function mainOf(app: string): string {
  return join(BUILD, 'apps', app, 'src', 'main.js');
}
const LAST_LINES = 20;

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: 1, signal: null }));
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}

function parse(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { level: 'error', event: 'not_json', line: text };
  }
}
