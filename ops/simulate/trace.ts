import { createHash, type Hash } from 'node:crypto';

export type Line = { atMs: number; task: string; what: string; end: string };

/** What has happened, in order; its hash is equal for two runs that were the same to the last row. */
export class Trace {
  readonly lines: Line[] = [];
  readonly #hash: Hash = createHash('sha256');
  #pending: { task: string; order: number; text: string }[] = [];

  add(atMs: number, task: string, what: string, end: string): void {
    this.flush();
    this.lines.push({ atMs, task, what, end });
    if (process.env['DEBUG_TRACE']) process.stderr.write(`${atMs} ${task} ${what} ${end}\n`);
    this.#hash.update(`${atMs} ${task} ${what} ${end}\n`);
  }

  /** What an actor got. Two may get theirs at one time: they stand in the actors' order. */
  result(task: { name: string; order: number }, text: string): void {
    this.#pending.push({ task: task.name, order: task.order, text });
  }

  hash(): string {
    this.flush();
    return this.#hash.copy().digest('hex');
  }

  flush(): void {
    for (const { task, text } of this.#pending.sort((a, b) => a.order - b.order)) {
      this.#hash.update(`${task} ${text}\n`);
      if (process.env['DEBUG_TRACE']) process.stderr.write(`    ${task} ${text.slice(0, 2000)}\n`);
    }
    this.#pending = [];
  }
}
