import { createHash } from 'node:crypto';

export type Line = { atMs: number; task: string; what: string; end: string };

/** What has happened, in order; its hash is equal for two runs that were the same to the last row. */
export class Trace {
  readonly lines: Line[] = [];
  /** The same with everything that anybody got: where two runs part, it shows who got what. */
  readonly texts: string[] = [];
  #pending: { task: string; order: number; text: string }[] = [];

  add(atMs: number, task: string, what: string, end: string): void {
    this.#flush();
    this.lines.push({ atMs, task, what, end });
    this.texts.push(`${atMs} ${task} ${what} ${end}`);
  }

  /** What an actor got. Two may get theirs at one time: they stand in the actors' order. */
  result(task: { name: string; order: number }, text: string): void {
    this.#pending.push({ task: task.name, order: task.order, text });
  }

  hash(): string {
    this.#flush();
    return createHash('sha256').update(this.texts.join('\n')).digest('hex');
  }

  #flush(): void {
    for (const { task, text } of this.#pending.sort((a, b) => a.order - b.order)) {
      this.texts.push(`  ${task} ${text}`);
    }
    this.#pending = [];
  }
}
