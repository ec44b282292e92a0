import { Swarm } from './simulate/policy.js';
import { planOf } from './simulate/plan.js';
import { runSchedule } from './simulate/run.js';
import { Stage, withServer } from './simulate/stage.js';
import { SEND_ENDS } from './simulate/network.js';

export async function main(args: string[]): Promise<void> {
  const [from = 1, to = 20] = (args[0] ?? '1..20').split('..').map(Number);
  await withServer(async (url) => {
    const t0 = performance.now();
    const stage = await Stage.open(url, 'simulate_1');
    process.stderr.write(`open ${(performance.now() - t0).toFixed(0)} ms\n`);
    const totals = new Map<string, number>();
    const t = performance.now();
    let steps = 0;
    for (let seed = from; seed <= to; seed += 1) {
      const chooser = new Swarm(String(seed), [...SEND_ENDS, 'cut', 'lost', 'unheard', 'late', 'never arrives']);
      const result = await runSchedule(stage, planOf(String(seed)), chooser);
      steps += result.steps;
      for (const [k, v] of result.sometimes) totals.set(k, (totals.get(k) ?? 0) + v);
      if (args[1] === '-v' || result.violations.length) process.stderr.write(`${seed} ${result.hash.slice(0, 12)} ${result.steps} ${result.choices.length} ${JSON.stringify(result.violations).slice(0, 500)}\n`);
      if (args[2] === '-t') for (const l of result.trace.lines) process.stderr.write(`${l.atMs} ${l.task} ${l.what} ${l.end}\n`);
    }
    const s = (performance.now() - t) / 1000;
    process.stderr.write(`${((to - from + 1) / s * 60).toFixed(0)}/min ${steps} steps ${(s * 1000 / steps).toFixed(2)} ms/step\n`);
    if (args[1] === '-v') for (const [k, v] of [...totals].sort()) process.stderr.write(`${v} ${k}\n`);
    await stage.close();
  });
}
