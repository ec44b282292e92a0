import { createHash } from 'node:crypto';
import type { Db } from '#postgres/db.js';
import { ADD_LINKS, READ_UNLINKED, SHARDS, type UnlinkedRow } from './chain.sql.js';

type Bounds = {
  /** Entries that one statement links. */
  linksMax: number;
  /** Entries that it looks at, for those of its shard. */
  lookedAtMax: number;
};
const BOUNDS: Bounds = { linksMax: 5_000, lookedAtMax: 20_000 };
const FIRST = '00000000-0000-0000-0000-000000000000';
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export type LinkPass = {
  linked: number;
  /** Another worker was quicker at a shard. It does the same, and nothing is lost. */
  yielded: number;
  /** A shard has more than one pass links. */
  more: boolean;
};

/**
 * One pass over the chains: entries get their links, in the order of their transactions, behind everything that has
 * committed. Any number of workers may do it at once: a shard moves by compare-and-set, and whoever comes second reads
 * again in its next pass. Killed in between, nothing has moved. Nobody who books is ever made to wait. @keeps P4
 */
export async function linkEntries(db: Db, bounds: Bounds = BOUNDS): Promise<LinkPass> {
  const pass: LinkPass = { linked: 0, yielded: 0, more: false };
  const shards: UnlinkedRow[][] = [];
  for (let shard = 0; shard < SHARDS; shard += 1) {
    shards.push(await db.run(READ_UNLINKED, [shard, bounds.linksMax, bounds.lookedAtMax]));
  }
  const isBusy = shards.some((rows) => linksOf(rows).length > 0);
  for (const rows of shards) {
    const [first] = rows;
    const links = linksOf(rows);
    const isFull = links.length === bounds.linksMax;
    if (first === undefined || !(isBusy || isFarBehind(first) || first.until !== null)) continue;
    if (await addLinks(db, first, links, isFull)) {
      pass.linked += links.length;
      pass.more ||= isFull || first.until !== null;
    } else {
      pass.yielded += 1;
    }
  }
  return pass;
}

function linksOf(rows: UnlinkedRow[]): UnlinkedRow[] {
  return rows.filter(({ entry_id: id }) => id !== null);
}

/** A move is a transaction itself: where nothing is booked, shards follow from time to time, not for each of their own. */
const IDLE_TRANSACTIONS = 500n;

function isFarBehind({ horizon, position_xid: position }: UnlinkedRow): boolean {
  return BigInt(horizon) - BigInt(position) > IDLE_TRANSACTIONS;
}

async function addLinks(
  db: Db,
  shard: UnlinkedRow,
  links: UnlinkedRow[],
  isFull: boolean,
): Promise<boolean> {
  let { hash } = shard;
  const hashes = links.map(({ content }) => (hash = hashAfter(hash, content)));
  const position = positionAfter(shard, isFull ? links.at(-1) : undefined);
  const [answer] = await db.run(ADD_LINKS, [
    shard.shard,
    shard.sequence,
    hash,
    shard.position_xid,
    shard.position_account,
    shard.position_entry,
    ...position,
    links.map(({ account_id: account }) => account),
    links.map(({ entry_id: entry }) => entry),
    links.map(({ number }) => number),
    hashes,
  ]);
  return answer?.moved === true;
}

/** Where all that was looked at is linked, everything up to there is: nothing can appear there any more. */
function positionAfter(
  { until, horizon }: UnlinkedRow,
  lastOfMany: UnlinkedRow | undefined,
): (string | null)[] {
  if (lastOfMany !== undefined) {
    return [lastOfMany.recorded_xid, lastOfMany.account_id, lastOfMany.entry_id];
  }
  return until === null ? [horizon, FIRST, FIRST] : [until, LAST, LAST];
}

function hashAfter(previous: Buffer, content: Buffer): Buffer {
  return createHash('sha256').update(previous).update(content).digest();
}
