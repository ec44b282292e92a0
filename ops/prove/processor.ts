import { setTimeout as pause } from 'node:timers/promises';
import type { BookLine } from '../checker/books.js';

/** The mock processor's control routes, and its book. A control call that finds it closed is made again. */
export class Processor {
  constructor(readonly url: string) {}

  faults(settings: object): Promise<unknown> {
    return this.#control('PUT', 'faults', settings);
  }

  webhooks(settings: object): Promise<unknown> {
    return this.#control('PUT', 'webhooks', settings);
  }

  /** False where the state of things forbids it: a dispute of what was never charged. */
  async event(order: object): Promise<boolean> {
    return (await this.#control('POST', 'events', order)) !== null;
  }

  /** Makes the day's report wrong in one place. Null where there is nothing that it could be wrong about. */
  async plant(order: { date: string; kind: string }): Promise<Planted | null> {
    const text = await this.#control('POST', 'anomalies', order);
    return text === null ? null : ((JSON.parse(text) as { planted: Planted[] }).planted[0] ?? null);
  }

  async uproot(date: string): Promise<void> {
    await this.#control('DELETE', `anomalies?date=${date}`);
  }

  async advance(ms: number): Promise<void> {
    await this.#control('POST', 'clock', { advance_ms: ms });
  }

  async state(): Promise<ProcessorState> {
    return JSON.parse((await this.#control('GET', 'state')) ?? '') as ProcessorState;
  }

  async book(): Promise<BookLine[]> {
    const text = (await this.#control('GET', 'book')) ?? '';
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as BookLine);
  }

  /** The text of the answer; null when it was refused with 400. */
  async #control(method: string, path: string, body?: object): Promise<string | null> {
    for (let tries = 1; ; tries++) {
      try {
        const answer = await fetch(`${this.url}/_control/${path}`, {
          method,
          ...(body && { body: JSON.stringify(body) }),
          headers: body ? { 'content-type': 'application/json' } : {},
        });
        const text = await answer.text();
        if (answer.ok) return text;
        if (answer.status === 400) return null;
        throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      } catch (error) {
        if (tries === TRIES_MAX) throw error;
        await pause(100);
      }
    }
  }
}

export type Planted = { kind: string; reference: string };

export type ProcessorState = { events: number; events_owed: number; running_keys: number };

const TRIES_MAX = 150;
