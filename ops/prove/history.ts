import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { HistoryLine } from '../checker/books.js';

export type Sent = Pick<HistoryLine, 'client' | 'account' | 'method' | 'path' | 'key' | 'body'>;
export type Received = Pick<HistoryLine, 'status' | 'text' | 'whole' | 'headers'>;

/** What clients sent and heard. Each line is on the disk before the next byte is sent or the next step is taken. */
export class History {
  readonly lines: HistoryLine[] = [];
  readonly #file: number;
  #seq = 0;

  constructor(folder: string) {
    this.#file = openSync(join(folder, 'h.jsonl'), 'w');
  }

  /** Before the first byte is sent. */
  invoke(sent: Sent): Call {
    const call = `c${this.#seq + 1}`;
    const line = (type: HistoryLine['type'], received: Received) =>
      this.#add({ seq: ++this.#seq, at: Date.now(), call, type, ...sent, ...received });
    line('invoke', {});
    return {
      answer: (received) => line('answer', received),
      lost: (received) => line('lost', received),
    };
  }

  close(): void {
    closeSync(this.#file);
  }

  #add(line: HistoryLine): void {
    this.lines.push(line);
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

export type Call = { answer(received: Received): void; lost(received: Received): void };
