import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { MockClient } from './mock-client.js';

const ROOT = join(import.meta.dirname, '../../..');
const PATIENCE_MS = 20_000;

/** Builds what the processes run from; nothing happens when the sources are unchanged. */
export function buildDemonstration(): void {
  execFileSync(process.execPath, ['ops/build.mjs'], { cwd: ROOT, stdio: ['ignore', 'ignore', 2] });
}

/** The mock processor as a process of its own, so that a kill is a real kill. */
export class MockProcess {
  stdout = '';
  stderr = '';
  readonly ended: Promise<number | null>;
  readonly child: ChildProcess;

  constructor(env: NodeJS.ProcessEnv, args = ['dist-demo/apps/mock-processor/src/main.js']) {
    this.child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], MOCK_PORT: '0', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = new Promise((resolve) => this.child.once('close', (code) => resolve(code)));
  }

  /** The port from the line that says that it is ready. */
  async untilListening(): Promise<MockClient> {
    const line = await this.untilSays(/"event":"mock_listening","port":(\d+)/);
    return new MockClient(`http://127.0.0.1:${line[1]}`);
  }

  async untilSays(words: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${why}\n${this.stdout}\n${this.stderr}`));
      const timer = setTimeout(() => fail(`no ${words.source} in ${PATIENCE_MS} ms`), PATIENCE_MS);
      const look = () => {
        const found = words.exec(this.stdout);
        if (!found) return;
        clearTimeout(timer);
        resolve(found);
      };
      this.child.stdout?.on('data', look);
      void this.ended.then((code) => {
        clearTimeout(timer);
        fail(`ended with ${code} before ${words.source}`);
      });
      look();
    });
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.ended;
  }
}
