import { setTimeout as pause } from 'node:timers/promises';
import { REPLICA_POINTS } from '../proof/points.js';
import type { Asked } from './client.js';
import { whileTimeFlies } from './load.js';
import { dispute } from './kills.js';
import type { PhaseResult, Terms } from './phase.js';
import type { ReplicaKind } from './replica.js';
import type { Victim } from './victim.js';
import { LEASE_MS, type World } from './world.js';

/** What a process suffers at one failpoint, passage after passage; the last one ends it. Kills are a phase of their own. */
const PASSAGES = ['delay=2500', 'block=300', 'throw', 'stop', 'term'] as const;
const REQUESTS_MAX = 14;
const PATIENCE_MS = 12_000;

/** Every other action at every failpoint: one process for each point, which suffers all of them in turn. */
export async function actions(terms: Terms): Promise<PhaseResult> {
  const world = await terms.world();
  const points = Object.entries(REPLICA_POINTS);
  await whileTimeFlies(world, async () => {
    for (const [at, [point, { passedBy }]] of points.entries()) {
      if (terms.stopping.aborted) break;
      const kind = passedBy.includes('API') ? 'api' : 'worker';
      await suffer(world, point, kind, `actions-${terms.seed}-${point}`);
      terms.say(`${at + 1} of ${points.length} failpoints, each with ${PASSAGES.length} actions`);
    }
  });
  const names = points.flatMap(([point]) =>
    PASSAGES.map((passage) => `failpoint ${point} ${passage.split('=')[0]}`),
  );
  const hit = names.filter((name) => world.journal.counted(name) > 0).length;
  return { line: `${hit} of ${names.length} pairs of failpoint and action hit`, findings: [] };
}

async function suffer(world: World, point: string, kind: ReplicaKind, name: string) {
  const others = kind === 'worker' ? world.workers : [];
  for (const other of others) other.signal('SIGSTOP');
  const plan = PASSAGES.map((passage, index) => `${point}:${index + 1}:${passage}`).join(',');
  const victim = await world.addVictim(kind, plan);
  const over = victim.endsWithin(PATIENCE_MS * 4);
  let isOver = false;
  void over.then(() => (isOver = true));
  const getsEvents = point.startsWith('w') && kind === 'api';
  if (getsEvents) world.sendEventsTo(victim);
  const waking = wakeWhenStopped(world, victim, () => isOver);
  const sent: Promise<unknown>[] = [];
  for (let n = 0; n < REQUESTS_MAX && !isOver; n++) {
    const target = kind === 'api' && !getsEvents ? victim : undefined;
    sent.push(payOnce(world, `${name}-${n}`, { point, kind, target }));
    await Promise.race([pause(700), over]);
  }
  await Promise.race([over, pause(PATIENCE_MS)]);
  isOver = true;
  world.sendEventsTo(null);
  await victim.close();
  for (const other of others) other.signal('SIGCONT');
  await Promise.all([...sent, waking]);
}

type Place = { point: string; kind: ReplicaKind; target: Victim | undefined };

/** First to the victim, then to whoever answers. */
async function payOnce(world: World, key: string, { point, kind, target }: Place) {
  const [account] = world.accounts;
  if (!account) return;
  const body = { amount: 1_234, currency: 'myr', payment_method: 'pm_card_visa', order_id: key };
  const prefer = kind === 'worker' && point !== 'w4' ? 'respond-async' : undefined;
  const path = '/v1/payments';
  const asked: Asked = { account, method: 'POST', path, key, body: JSON.stringify(body), prefer };
  const client = world.client(key);
  if (point === 'w4') return dispute(world, client, asked);
  await client.send(asked, target);
  if (kind === 'api') await client.sendUntilFinal(asked);
}

/** A process that stopped itself sleeps past its lease. */
async function wakeWhenStopped(world: World, victim: Victim, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    if (victim.takeStop()) {
      await world.advance(LEASE_MS);
      await pause(1_000);
      victim.signal('SIGCONT');
      world.journal.note('continued', victim.name);
    }
    await pause(50);
  }
}
