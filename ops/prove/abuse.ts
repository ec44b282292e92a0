import { createOperatorKey } from '#accounts/manage-api-keys.js';
import { DEMO_WEBHOOK_SECRET } from '#platform/config.js';
import { systemRandom } from '#seams/random.js';
import { runBadInputs } from '../abuse/bad-inputs.js';
import { runRaceBursts } from '../abuse/race-bursts.js';
import { onDatabase } from '../on-database.js';
import type { PhaseResult, Terms } from './phase.js';

const TELL_EVERY = 1_000;

/** Requests that are right, nearly right and nothing like it; each must be answered as the document declares. */
export async function badInputs({ world: open, ...terms }: Terms): Promise<PhaseResult> {
  const world = await open();
  const [one, two] = world.strangers;
  const [api] = world.apis;
  const operator = await onDatabase(world.postgres.ownerUrl, 'prove', (db) =>
    createOperatorKey({ db, random: systemRandom }, { operator: 'Prove', mode: 'live' }),
  );
  let told = 0;
  const { sent, findings } = await runBadInputs({
    url: api?.url ?? '',
    keys: {
      account: one?.apiKey ?? '',
      other: two?.apiKey ?? '',
      operator: operator.key,
      webhookSecret: DEMO_WEBHOOK_SECRET,
    },
    seed: terms.seed,
    count: terms.scale.badInputs,
    signal: terms.stopping,
    onProgress: (count) => {
      if (count - told < TELL_EVERY) return;
      told = count;
      terms.say(`${count} of ${terms.scale.badInputs} bad inputs`);
    },
  });
  world.journal.count('bad inputs', sent);
  return {
    line: `${sent} bad inputs, ${findings.length} answered wrongly`,
    findings: findings.map((row) => ({ invariant: 'I23', says: row.says, rows: [row] })),
  };
}

/** Requests that contradict one another, fifty wide and released at their last byte: one effect each. */
export async function bursts({ world: open, ...terms }: Terms): Promise<PhaseResult> {
  const world = await open();
  const result = await runRaceBursts({
    url: world.apis[0]?.url ?? '',
    key: world.strangers[0]?.apiKey ?? '',
    mockUrl: world.processor.url,
    seed: terms.seed,
    count: terms.scale.bursts,
    signal: terms.stopping,
    onProgress: (count) => {
      if (count % 10 === 0) terms.say(`${count} of ${terms.scale.bursts} bursts`);
    },
  });
  world.journal.count('race bursts', result.bursts);
  return {
    line: `${result.bursts} race bursts 50 wide, ${result.findings.length} with another effect than one`,
    findings: result.findings.map((row) => ({ invariant: 'I1', says: row.says, rows: [row] })),
  };
}
