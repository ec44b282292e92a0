import { setTimeout as pause } from 'node:timers/promises';
import type { Journal } from './journal.js';
import { APPS, READY, type ReplicaKind } from './replica.js';
import { type LogLine, Service } from './service.js';

type Place = { name: string; env: Record<string, string>; journal: Journal };

/** A service that is not started again: it is there to end at its failpoint. */
export class Victim {
  url = '';

  private constructor(
    readonly name: string,
    private readonly journal: Journal,
  ) {}

  #service: Service | undefined;
  #hasStopped = false;

  static async start(kind: ReplicaKind, { name, env, journal }: Place): Promise<Victim> {
    const victim = new Victim(name, journal);
    const service = new Service(APPS[kind], env, (line) => {
      journal.log(name, line);
      if (line.event === 'failpoint') victim.#passed(line);
    });
    victim.#service = service;
    // A worker may pass its failpoint before it says that it is there.
    const line = await service.said(READY[kind]);
    if (kind === 'api' && !line) throw new Error(`${name} did not start:\n${service.lastWords}`);
    if (kind === 'api') victim.url = `http://127.0.0.1:${String(line?.['port'])}`;
    return victim;
  }

  /** Whether it has stopped itself since the last question. */
  takeStop(): boolean {
    const hasStopped = this.#hasStopped;
    this.#hasStopped = false;
    return hasStopped;
  }

  signal(signal: NodeJS.Signals): void {
    this.#service?.signal(signal);
  }

  /** Whether it has died at its failpoint by then. */
  async endsWithin(ms: number): Promise<boolean> {
    const giveUp = new AbortController();
    const late = pause(ms, null, { signal: giveUp.signal }).catch(() => null);
    const exit = await Promise.race([this.#service?.exit, late]);
    giveUp.abort();
    if (exit?.signal !== 'SIGKILL') return false;
    this.journal.note('exit', this.name, 'SIGKILL by failpoint');
    this.journal.count('SIGKILLs');
    return true;
  }

  async close(): Promise<void> {
    this.signal('SIGKILL');
    await this.#service?.exit;
  }

  #passed({ name, action }: LogLine): void {
    this.journal.note('failpoint', this.name, `${String(name)}:${String(action)}`);
    this.journal.count(`failpoint ${String(name)} ${String(action)}`);
    if (action === 'stop') this.#hasStopped = true;
  }
}
