import { REPLICA_POINTS } from '../proof/points.js';
import type { Asked, RecordedClient } from './client.js';
import type { PhaseResult, Terms } from './phase.js';
import { whileTimeFlies } from './load.js';
import type { ReplicaKind } from './replica.js';
import type { World } from './world.js';

const PATHS = ['charge', 'capture', 'cancel', 'refunds'] as const;
type Path = (typeof PATHS)[number];
/** One kill: who dies, where, and with which request in its hands. */
type Kill = { point: string; path: Path };

const VICTIMS = 2;
const WITHIN_MS = 40_000;

/**
 * SIGKILL at every named place of every path. A victim gets one request and dies with it; its client asks the others
 * until it has its answer. What the API passes goes first, then what only a worker passes.
 */
export async function kills(terms: Terms): Promise<PhaseResult> {
  const world = await terms.world();
  const before = world.journal.counted('SIGKILLs');
  const missed: string[] = [];
  const { killRounds, killsAllPaths } = terms.scale;
  const ofApis = killsOf('api', killsAllPaths);
  const ofWorkers = killsOf('worker', killsAllPaths);
  const planned = killRounds * (ofApis.length + ofWorkers.length);
  const tell = (kill: Kill, hit: boolean) => {
    if (!hit) missed.push(`${kill.point} on ${kill.path}`);
    const count = world.journal.counted('SIGKILLs') - before;
    if (count % 5 === 0)
      terms.say(`${count} of ${planned} SIGKILLs, last at ${kill.point} on ${kill.path}`);
  };
  await whileTimeFlies(world, async () => {
    for (let round = 0; round < killRounds && !terms.stopping.aborted; round++) {
      const run = new Round(world, `kills-${terms.seed}-${round}`, terms.stopping, tell);
      await run.apis(ofApis);
      await run.workers(ofWorkers);
    }
  });
  const count = world.journal.counted('SIGKILLs') - before;
  world.journal.count('kills that found no passage', missed.length);
  const line = `${count} real SIGKILLs at ${Object.keys(REPLICA_POINTS).length} failpoints on ${PATHS.length} paths`;
  return {
    line: missed.length > 0 ? `${line}; not reached: ${missed.join(', ')}` : line,
    findings: [],
  };
}

/** At each failpoint on each path. */
export function killsInARound(): number {
  return killsOf('api', true).length + killsOf('worker', true).length;
}

/** All of them, or one a path: what a test has time for. */
function killsOf(kind: ReplicaKind, all: boolean): Kill[] {
  const names = Object.entries(REPLICA_POINTS)
    .filter(([, { passedBy }]) => passedBy.includes(kind === 'api' ? 'API' : 'worker'))
    .map(([name]) => name);
  if (!all)
    return kind === 'api'
      ? PATHS.map((path, at) => ({ point: `c${[6, 12, 13, 3][at]}`, path }))
      : [];
  if (kind === 'worker') return names.map((point) => ({ point, path: 'charge' }));
  const onPaths = names.filter((name) => name.startsWith('c'));
  const others = names.filter((name) => !name.startsWith('c'));
  return [
    ...onPaths.flatMap((point) => PATHS.map((path) => ({ point, path }))),
    ...others.map((point) => ({ point, path: 'charge' as const })),
  ];
}

class Round {
  #number = 0;

  constructor(
    private readonly world: World,
    private readonly name: string,
    private readonly stopping: AbortSignal,
    private readonly tell: (kill: Kill, hit: boolean) => void,
  ) {}

  /** Several victims at a time, each armed for its next kill while it starts. */
  async apis(all: Kill[]): Promise<void> {
    const queue = [...all];
    const lane = async () => {
      for (let kill = queue.shift(); kill && !this.stopping.aborted; kill = queue.shift())
        await this.#atApi(kill);
    };
    await Promise.all(Array.from({ length: VICTIMS }, lane));
  }

  /** The victim is the only worker that runs, so that the work comes to it. */
  async workers(all: Kill[]): Promise<void> {
    if (all.length === 0) return;
    const others = this.world.workers;
    for (const other of others) other.signal('SIGSTOP');
    for (const kill of all) {
      if (this.stopping.aborted) break;
      const prefer = kill.point === 'w4' ? undefined : 'respond-async';
      const ground = this.#request(kill, prefer);
      const victim = await this.world.addVictim('worker', `${kill.point}:1:kill`);
      const client = this.world.client(`${this.name}-worker`);
      if (kill.point === 'w4') await dispute(this.world, client, await ground);
      else await client.send(await ground);
      this.tell(kill, await victim.endsWithin(WITHIN_MS));
      await victim.close();
    }
    for (const other of others) other.signal('SIGCONT');
  }

  async #atApi(kill: Kill): Promise<void> {
    const [asked, victim] = await Promise.all([
      this.#request(kill),
      this.world.addVictim('api', `${kill.point}:1:kill`),
    ]);
    const client = this.world.client(`${this.name}-${kill.path}`);
    // What an event does to an API shows only where the events go.
    if (kill.point.startsWith('w')) this.world.sendEventsTo(victim);
    const sent = client.send(asked, kill.point.startsWith('w') ? undefined : victim);
    this.tell(kill, await victim.endsWithin(WITHIN_MS));
    this.world.sendEventsTo(null);
    await victim.close();
    await sent;
    await client.sendUntilFinal(asked);
  }

  /** The request that the victim dies with, on ground that another process laid. */
  async #request({ point, path }: Kill, prefer?: string): Promise<Asked> {
    const { world } = this;
    const number = ++this.#number;
    const account = world.accounts[number % world.accounts.length]!;
    const key = `${this.name}-${point}-${path}-${number}`;
    const body = JSON.stringify({
      amount: 1_000 + number,
      currency: 'myr',
      payment_method: 'pm_card_visa',
      order_id: key,
      ...((path === 'capture' || path === 'cancel') && { capture: 'manual' }),
    });
    const charge: Asked = { account, method: 'POST', path: '/v1/payments', key, body, prefer };
    if (path === 'charge') return charge;
    const { text = '' } = await world.client(`${this.name}-ground`).sendUntilFinal(charge);
    const { id } = JSON.parse(text) as { id: string };
    const more = path === 'refunds' ? '{"amount":600}' : '{}';
    return { ...charge, path: `/v1/payments/${id}/${path}`, key: `${key}-step`, body: more };
  }
}

/** News that a worker applies inside a transaction: somebody disputes what was just paid. */
export async function dispute(world: World, client: RecordedClient, charge: Asked): Promise<void> {
  const { text = '' } = await client.sendUntilFinal(charge);
  const { processor } = JSON.parse(text) as { processor: { id: string } };
  const order = { kind: 'dispute_opened', payment_intent: processor.id };
  if (await world.processor.event(order)) world.journal.note('event', 'processor', order.kind);
}
