import type { ProcessSystem } from './process-system.js';
import { Processes, type ServiceProcess } from './processes.js';

type Replica = { api: ServiceProcess; worker: ServiceProcess };

/** Replicas of API and worker on one system. A killed process is started again, as a supervisor would. */
export class Replicas {
  readonly #processes = new Processes();
  readonly #replicas: Replica[] = [];
  #turn = 0;
  kills = 0;

  private constructor(
    private readonly system: ProcessSystem,
    private readonly env: Record<string, string>,
  ) {}

  static async start(system: ProcessSystem, count: number, env: Record<string, string>) {
    const replicas = new Replicas(system, env);
    // One after the other: all at once would each take as long as all of them on a small machine.
    for (let n = 0; n < count; n++) replicas.#replicas.push(await replicas.#start());
    return replicas;
  }

  get count(): number {
    return this.#replicas.length;
  }

  /** The API whose turn it is; it may be dead. */
  nextApi(): ServiceProcess {
    this.#turn = (this.#turn + 1) % this.count;
    return this.#replicas[this.#turn]!.api;
  }

  /** Kills a process without a warning and waits until another one serves in its place. */
  async kill(index: number, which: keyof Replica): Promise<void> {
    const replica = this.#replicas[index]!;
    replica[which].kill('SIGKILL');
    this.kills += 1;
    await replica[which].exit;
    replica[which] = await this.system[which](this.#processes, '', this.env);
  }

  close(): Promise<void> {
    return this.#processes.endAll();
  }

  async #start(): Promise<Replica> {
    const api = await this.system.api(this.#processes, '', this.env);
    return { api, worker: await this.system.worker(this.#processes, '', this.env) };
  }
}
