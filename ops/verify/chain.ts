import { type SigningKeys, isSignedBy } from '#ledger/signing-keys.js';
import type { Db } from '#postgres/db.js';
import {
  CHECK_CHAIN,
  CHECK_ENDS,
  type ChainRow,
  FIND_BROKEN_CHECKPOINTS,
  FIND_LINKED_TWICE,
  READ_CHECKPOINTS,
} from './chain.sql.js';
import type { Verdict } from './verify.js';

/** More are not named: by then somebody has to look anyway. */
const FINDINGS_MAX = 100;
/** Of each chain. What is older has to agree with the chain, which the newer ones sign. */
const SIGNATURES_MAX = 1_000;

const WHAT: Record<ChainRow['what'], string> = {
  missing: 'the entry is gone',
  gap: 'the link before it is gone',
  altered: 'the entry or its link was changed',
  twice: 'the entry has a second link',
  inserted: 'the entry was inserted afterwards: others that came later had their links',
  future: 'the entry was inserted by hand: its transaction has not been yet',
};

/** Every entry and every link, the ends of the chains, and the signatures over them. Sound chains take one pass. */
export async function verifyChain(db: Db, keys: SigningKeys): Promise<Verdict> {
  const rows = [
    ...(await db.run(CHECK_CHAIN, [FINDINGS_MAX])),
    ...(await db.run(FIND_LINKED_TWICE, [FINDINGS_MAX])),
  ];
  const ends = await verifyEnds(db);
  const checkpoints = await verifyCheckpoints(db, keys);
  return {
    findings: [...rows.map(tell), ...ends.findings, ...checkpoints],
    notes: ends.notes,
  };
}

function tell({ shard, sequence, account_id: account, entry_id: entry, what }: ChainRow): string {
  const place = sequence === null ? '' : `, link ${sequence}`;
  return `chain: shard ${shard}${place}, account ${account}, ledger row ${entry}: ${WHAT[what]}`;
}

async function verifyEnds(db: Db): Promise<Verdict> {
  const rows = await db.run(CHECK_ENDS, []);
  const findings = rows.flatMap(
    ({ shard, sequence, ends_there: endsThere, is_behind_signed: isBehind }) => [
      ...(endsThere
        ? []
        : [`chain: shard ${shard} does not end at link ${sequence}: links are gone or added`]),
      ...(isBehind ? [`chain: shard ${shard} was set back behind its last checkpoint`] : []),
    ],
  );
  const links = rows.reduce((sum, row) => sum + Number(row.links), 0);
  const signed = rows
    .flatMap(({ signed_at: at }) => (at === null ? [] : [at.toISOString()]))
    .sort();
  const until = signed.at(-1);
  return {
    findings,
    notes: [
      `${links} ledger rows are linked in ${rows.length} chains; ${until === undefined ? 'nothing is signed yet' : `last signed at ${until}`}.`,
    ],
  };
}

async function verifyCheckpoints(db: Db, { verifiers }: SigningKeys): Promise<string[]> {
  const broken = await db.run(FIND_BROKEN_CHECKPOINTS, [FINDINGS_MAX]);
  const rows = await db.run(READ_CHECKPOINTS, [SIGNATURES_MAX]);
  const unsigned = rows.flatMap((row) => {
    const where = `chain: the checkpoint of shard ${row.shard} at ${row.minute.toISOString()}`;
    const key = verifiers.get(row.signing_key);
    if (key === undefined)
      return [`${where} is signed by a key that LEDGER_SIGNING_KEY does not name`];
    return isSignedBy(key, row, row.signature)
      ? []
      : [`${where} was changed: its signature is wrong`];
  });
  return [
    ...broken.map(
      ({ shard, minute, sequence }) =>
        `chain: shard ${shard} was rewritten: link ${sequence} is not what was signed at ${minute.toISOString()}`,
    ),
    ...unsigned.slice(0, FINDINGS_MAX),
  ];
}
