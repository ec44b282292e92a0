import { join, resolve } from 'node:path';
import { checkoutRoot } from '#embedded/home.js';
import { runCommand } from './command.js';
import { judge } from './prove/judge-world.js';
import { swarm } from './prove/swarm.js';
import { World } from './prove/world.js';
import { progress } from './figures/progress.js';

/** `npm run prove`. */
export async function main(args: string[]): Promise<void> {
  const options = { seed: { type: 'string' }, seconds: { type: 'string' }, only: { type: 'string' } } as const;
  await runCommand({ args, help: 'x', options }, async (values) => {
    const world = await World.open({
      folder: resolve(checkoutRoot(), 'proof'),
      apis: 3,
      workers: 2,
      say: progress,
    });
    try {
      const only = values['only'] ? String(values['only']).split(',') : [];
      await swarm(world, { seed: Number(values['seed'] ?? 1), seconds: Number(values['seconds'] ?? 20), clients: 6, only }, progress);
      const { violations, quietAfterMs } = await judge(world);
      progress(`quiet after ${quietAfterMs} ms`);
      for (const v of violations.slice(0, 20)) console.log(v.invariant, v.says, JSON.stringify(v.rows).slice(0, 600));
      console.log(violations.length, 'violations', JSON.stringify(world.journal.counts));
      return violations.length === 0 ? 0 : 1;
    } finally {
      await world.close();
    }
  });
}
void join;
