import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Request, Response, TestResult } from './session.js';

const RUN_MAX_MS = 300_000;

/** Runs tests by their titles in a copy of the sources, in a session that starts when it is first needed. */
export class SpecRunner {
  private session: ChildProcess | null = null;
  private changed: string[] = [];

  constructor(private readonly root: string) {}

  /** These files are not what they were. What a database server is made from needs a new one. */
  async touch(files: readonly string[]): Promise<void> {
    this.changed.push(...files);
    if (files.some((file) => /^(migrations|libs\/(postgres|embedded|testing))\//.test(file)))
      await this.close();
  }

  async run(files: string[], titles: string[]): Promise<Response> {
    const session = (this.session ??= await this.start());
    const request: Request = { files, titles, changed: this.changed.splice(0) };
    const response = await this.ask(session, request);
    if (response !== null) return response;
    await this.close();
    return { results: [], broken: ['the tests did not end'] };
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
      env: { ...process.env, VITEST: undefined, NODE_ENV: 'test' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
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

/** An expectation that was not met, in whichever words; anything else is a crash that proves nothing. */
export function isAssertion(error: string): boolean {
  return /^(AssertionError: |Error: (expected |Not within ))/.test(error);
}

export function isRed({ state, errors }: TestResult): boolean {
  return state === 'failed' && errors.some(isAssertion);
}
