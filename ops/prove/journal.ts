import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { LogLine } from './service.js';

/** What was done to the system, or happened to it, beside what clients sent. */
export type Happening = {
  at: number;
  /** `kill`, `stop`, `cut_after`, `failpoint`, `exit`, … */
  kind: string;
  /** The process or the part that it happened to. */
  who: string;
  detail: string;
};

/** The nemesis's diary, in memory and in `events.jsonl`; and the services' logs in `services.jsonl`. */
export class Journal {
  readonly happenings: Happening[] = [];
  /** When the database's clock was moved on, and by how much. */
  readonly advances: { at: number; ms: number }[] = [];
  readonly counts: Record<string, number> = {};
  /** How often each event of the services' logs was said. */
  readonly said = new Map<string, number>();
  /** The request ids of those that failed for an error which a failpoint planted, as the service itself logged it. */
  readonly planted: string[] = [];
  readonly #events: number;
  readonly #logs: number;

  constructor(folder: string) {
    this.#events = openSync(join(folder, 'events.jsonl'), 'w');
    this.#logs = openSync(join(folder, 'services.jsonl'), 'w');
  }

  note(kind: string, who: string, detail = ''): void {
    const happening = { at: Date.now(), kind, who, detail };
    this.happenings.push(happening);
    this.count(kind);
    writeSync(this.#events, `${JSON.stringify(happening)}\n`);
  }

  advanced(ms: number): void {
    this.advances.push({ at: Date.now(), ms });
  }

  /** The moment here at which the database's clock, which runs ahead, showed `moment` (both in milliseconds). */
  momentOf(moment: number): number {
    let ahead = 0;
    for (const { at, ms } of this.advances) {
      if (moment <= at + ahead) break;
      // In the leap itself, a row that was written at its end belongs to the moment of the leap.
      if (moment < at + ahead + ms) return at;
      ahead += ms;
    }
    return moment - ahead;
  }

  count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by;
  }

  counted(what: string): number {
    return this.counts[what] ?? 0;
  }

  log(from: string, line: LogLine): void {
    this.said.set(line.event, (this.said.get(line.event) ?? 0) + 1);
    if (line.event === 'request_failed' && PLANTED.test(String(line['error'])))
      this.planted.push(String(line['request_id']));
    writeSync(this.#logs, `${JSON.stringify({ from, ...line })}\n`);
  }

  close(): void {
    closeSync(this.#events);
    closeSync(this.#logs);
  }
}

const PLANTED = /^Error: failpoint \w+$/;
