import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseProxy } from './database-proxy.js';
import type { Journal } from './journal.js';
import { type LogLine, Service } from './service.js';

export type ReplicaKind = 'api' | 'worker';
export const APPS = { api: 'payments-api', worker: 'recovery-worker' } as const;
/** What it says when it serves. */
export const READY = { api: 'listening', worker: 'sweeping' } as const;

type Place = {
  name: string;
  kind: ReplicaKind;
  proxy: DatabaseProxy;
  env: Record<string, string>;
  journal: Journal;
  /** The failpoints that the next process of it is started with; empty for none. */
  arm: (kind: ReplicaKind) => string;
  /** A failpoint stopped its process: somebody has to let it go on. */
  onStopped: (replica: Replica) => void;
};

/** A service that is started again whenever it ends, as a supervisor would, with a database proxy of its own. */
export class Replica {
  url = '';
  #service: Service | null = null;
  #armed = '';
  #isClosing = false;
  #ours: string | null = null;
  #ready: Promise<void> = Promise.resolve();
  #kept: Promise<void> = Promise.resolve();

  constructor(private readonly place: Place) {}

  get name(): string {
    return this.place.name;
  }

  get kind(): ReplicaKind {
    return this.place.kind;
  }

  get proxy(): DatabaseProxy {
    return this.place.proxy;
  }

  /** Resolves when it serves for the first time; throws when it cannot. */
  async start(): Promise<void> {
    this.#launch();
    await this.#ready;
    if (this.#service?.isOver) throw new Error(`${this.name}:\n${this.#service.lastWords}`);
    this.#kept = this.#keep();
  }

  /** Whether its process was started with failpoints. */
  get isArmed(): boolean {
    return this.#armed !== '';
  }

  /** The process of this moment. */
  get pid(): number {
    return this.#service?.pid ?? 0;
  }

  signal(signal: NodeJS.Signals): void {
    if (signal === 'SIGKILL' || signal === 'SIGTERM') this.#ours = signal;
    this.#service?.signal(signal);
  }

  /** Ends it without a warning, and resolves when another process serves in its place. */
  async killed(): Promise<void> {
    const service = this.#service;
    this.signal('SIGKILL');
    await service?.exit;
    await this.up();
  }

  /** Resolves when it serves, however many processes that takes. */
  async up(): Promise<void> {
    while (!this.#isClosing) {
      const service = this.#service;
      await this.#ready;
      if (service === this.#service && service && !service.isOver) return;
      await pause(20);
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#service?.signal('SIGKILL');
    await this.#kept;
    this.place.proxy.close();
  }

  #launch(): void {
    const { kind, name, env, journal, arm } = this.place;
    this.#armed = arm(kind);
    this.#ours = null;
    const more = this.#armed === '' ? {} : { FAILPOINTS: this.#armed };
    const service = new Service(APPS[kind], { ...env, ...more }, (line) => {
      journal.log(name, line);
      if (line.event === 'failpoint') this.#passed(line);
    });
    this.#service = service;
    journal.count('processes started');
    this.#ready = service.said(READY[kind]).then((line) => {
      if (line && kind === 'api') this.url = `http://127.0.0.1:${String(line['port'])}`;
    });
  }

  /** One process after the other. */
  async #keep(): Promise<void> {
    for (;;) {
      const service = this.#service;
      if (!service) return;
      const { code, signal } = await service.exit;
      this.url = '';
      if (this.#isClosing) return;
      const by = this.#ours ?? (this.#armed === '' ? 'itself' : 'failpoint');
      this.place.journal.note('exit', this.name, `${signal ?? `code ${code}`} by ${by}`);
      if (signal === 'SIGKILL') this.place.journal.count('SIGKILLs');
      if (by === 'itself') await pause(300); // it could not start: its database is away
      this.#launch();
    }
  }

  #passed({ name, hit, action }: LogLine): void {
    const { journal } = this.place;
    journal.note('failpoint', this.name, `${String(name)}:${String(hit)}:${String(action)}`);
    journal.count(`failpoint ${String(name)} ${String(action)}`);
    if (action === 'stop') this.place.onStopped(this);
  }
}
