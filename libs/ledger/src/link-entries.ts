import { createHash } from 'node:crypto';
import type { Db } from '#postgres/db.js';
import { ADD_LINKS, READ_UNLINKED, SHARDS, type UnlinkedRow } from './chain.sql.js';

/** Entries that one statement links. */
const LINKS_MAX = 2_000;
const NOBODY = '00000000-0000-0000-0000-000000000000';

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
export async function linkEntries(db: Db): Promise<LinkPass> {
  const pass: LinkPass = { linked: 0, yielded: 0, more: false };
  for (let shard = 0; shard < SHARDS; shard += 1) {
    const rows = await db.run(READ_UNLINKED, [shard, LINKS_MAX]);
    const [first] = rows;
    const links = rows.filter(({ entry_id: id }) => id !== null);
    if (first === undefined || !isWorthMoving(first, links.length)) continue;
    if (await addLinks(db, first, links)) {
      pass.linked += links.length;
      pass.more ||= links.length === LINKS_MAX;
    } else {
      pass.yielded += 1;
    }
  }
  return pass;
}

/** A move is a transaction itself: an idle shard follows the others from time to time, not for each of them. */
const IDLE_TRANSACTIONS = 500n;

function isWorthMoving({ horizon, position_xid: position }: UnlinkedRow, links: number): boolean {
  return links > 0 || BigInt(horizon) - BigInt(position) > IDLE_TRANSACTIONS;
}

async function addLinks(db: Db, shard: UnlinkedRow, links: UnlinkedRow[]): Promise<boolean> {
  let { hash } = shard;
  const hashes = links.map(({ content }) => (hash = hashAfter(hash, content)));
  const last = links.at(-1);
  // Where all are linked, everything before the horizon is: nothing can appear there any more.
  const position =
    last !== undefined && links.length === LINKS_MAX
      ? [last.recorded_xid, last.account_id, last.entry_id]
      : [shard.horizon, NOBODY, NOBODY];
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

function hashAfter(previous: Buffer, content: Buffer): Buffer {
  return createHash('sha256').update(previous).update(content).digest();
}
