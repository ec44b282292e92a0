import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Request, Response, TestResult } from './session.js';

const RUN_MAX_MS = 300_000;

/** Runs tests by their titles in a copy of the sources, in a session that starts when it is first needed. */
export class SpecRunner {
  private session: ChildProcess | null = null;
  private changed: string[] = [];
  private isEnded = false;

  /** What the tests leave in their folder for temporary files goes with it. */
  private readonly temporary: string;

  constructor(private readonly root: string) {
    this.temporary = `${root}-temporary`;
    mkdirSync(this.temporary, { mode: 0o755 }); // the database server's user, another one than root, passes through
  }

  /** These files are not what they were. What a database server is made from needs a new one. */
  async touch(files: readonly string[]): Promise<void> {
    this.changed.push(...files);
    if (files.some((file) => /^(migrations|libs\/(postgres|embedded|testing))\//.test(file)))
      await this.close();
  }

  async run(files: string[], titles: string[]): Promise<Response> {
    if (this.isEnded) return noAnswer();
    const session = (this.session ??= await this.start());
    const request: Request = { files, titles, changed: this.changed.splice(0) };
    const response = await this.ask(session, request);
    if (response !== null) return response;
    if (this.isEnded) return noAnswer();
    await this.close();
    return { results: [], broken: ['the tests did not end'] };
  }

  /**
   * For good, and with whatever a test that was cut off has left. Whoever still waits gets no answer: that a test did not
   * end would be said of the test.
   */
  async end(): Promise<void> {
    this.isEnded = true;
    const group = this.session?.pid;
    await this.close();
    if (group !== undefined) killGroup(group);
    rmSync(this.temporary, { recursive: true, force: true, maxRetries: 5 });
  }

  async close(): Promise<void> {
    const { session } = this;
    this.session = null;
    if (!session || session.exitCode !== null || session.signalCode !== null) return;
    const exit = once(session, 'exit');
    if (session.connected) session.disconnect(); // it stops its database server, and ends
    const timer = setTimeout(() => session.kill('SIGKILL'), STOP_MAX_MS);
    await exit;
    clearTimeout(timer);
  }

  private async start(): Promise<ChildProcess> {
    const session = fork(join(import.meta.dirname, 'session.js'), [], {
      cwd: this.root,
      env: { ...process.env, VITEST: undefined, NODE_ENV: 'test', TMPDIR: this.temporary },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: true, // Ctrl-C reaches the whole foreground group, and what stops a session is its parent
    });
    await Promise.race([once(session, 'message'), once(session, 'exit')]);
    if (session.exitCode !== null) throw new Error('Vitest does not start in the copy');
    return session;
  }

  private ask(session: ChildProcess, request: Request): Promise<Response | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => end(null), RUN_MAX_MS);
      const end = (response: Response | null): void => {
        clearTimeout(timer);
        session.off('message', end);
        session.off('exit', gone);
        resolve(response);
      };
      const gone = (): void => end(null);
      session.once('message', end);
      session.once('exit', gone);
      session.send(request);
    });
  }
}

const STOP_MAX_MS = 30_000;

/** A worker of Vitest that was just starting does not hear that its parent has gone. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nobody is left in it.
  }
}

function noAnswer(): Promise<never> {
  return new Promise(() => {});
}

/** An expectation that was not met, in whichever words; anything else is a crash that proves nothing. */
export function isAssertion(error: string): boolean {
  return /^(AssertionError: |Error: (expected |Not within ))/.test(error);
}

export function isRed({ state, errors }: TestResult): boolean {
  return state === 'failed' && errors.some(isAssertion);
}
