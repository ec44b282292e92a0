import { setTimeout as pause } from 'node:timers/promises';
import type { Journal } from './journal.js';
import { APPS, READY, type ReplicaKind } from './replica.js';
import { Service } from './service.js';

type Place = { name: string; env: Record<string, string>; journal: Journal };

/** A service that is not started again: it is there to end at its failpoint. */
export class Victim {
  url = '';

  private constructor(
    readonly name: string,
    private readonly service: Service,
    private readonly journal: Journal,
  ) {}

  static async start(kind: ReplicaKind, { name, env, journal }: Place): Promise<Victim> {
    const service = new Service(APPS[kind], env, (line) => {
      journal.log(name, line);
      if (line.event !== 'failpoint') return;
      journal.note('failpoint', name, `${String(line['name'])}:${String(line['action'])}`);
      journal.count(`failpoint ${String(line['name'])} ${String(line['action'])}`);
    });
    const victim = new Victim(name, service, journal);
    // A worker may pass its failpoint before it says that it is there.
    const line = await service.said(READY[kind]);
    if (kind === 'api' && !line) throw new Error(`${name} did not start:\n${service.lastWords}`);
    if (kind === 'api') victim.url = `http://127.0.0.1:${String(line?.['port'])}`;
    return victim;
  }

  /** Whether it has died at its failpoint by then. */
  async endsWithin(ms: number): Promise<boolean> {
    const giveUp = new AbortController();
    const late = pause(ms, null, { signal: giveUp.signal }).catch(() => null);
    const exit = await Promise.race([this.service.exit, late]);
    giveUp.abort();
    if (exit?.signal !== 'SIGKILL') return false;
    this.journal.note('exit', this.name, 'SIGKILL by failpoint');
    this.journal.count('SIGKILLs');
    return true;
  }

  async close(): Promise<void> {
    this.service.signal('SIGKILL');
    await this.service.exit;
  }
}
