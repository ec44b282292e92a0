import type { Db } from '#postgres/db.js';
import { BLOCK, FIND_BLOCKS, TAKE_SNAPSHOT } from './snapshots.sql.js';

type Bounds = {
  /** Blocks that one pass makes. */
  blocksMax: number;
  /** Blocks that it looks at, to find those. */
  lookedAtMax: number;
};
const BOUNDS: Bounds = { blocksMax: 16, lookedAtMax: 1_000 };
const START = { account: '00000000-0000-0000-0000-000000000000', number: '0' };

/** One worker's way through the blocks of all accounts, around and around. */
export type SnapshotWalk = {
  behind: typeof START;
  /** Blocks that cannot be whole, since something is gone: looked at once by each process. */
  refused: Set<string>;
};

export function newSnapshotWalk(): SnapshotWalk {
  return { behind: START, refused: new Set() };
}

export type SnapshotPass = {
  taken: number;
  /** It stopped at its bound. */
  more: boolean;
};

/**
 * One pass: blocks of entries whose links are all there get their balance snapshots. A block never changes, so that any
 * number of workers may make the same one: one statement has made each row, the others none. Killed in between, a block is
 * there or it is not. One that cannot be made is passed by, and keeps none behind it waiting. @keeps P4
 */
export async function takeSnapshots(
  db: Db,
  walk: SnapshotWalk,
  bounds: Bounds = BOUNDS,
): Promise<SnapshotPass> {
  const { account, number } = walk.behind;
  const found = await db.run(FIND_BLOCKS, [account, number, bounds.lookedAtMax, bounds.blocksMax]);
  let taken = 0;
  for (const block of found) {
    const name = `${block.account_id} ${block.number}`;
    if (block.is_there || walk.refused.has(name)) continue;
    const [made] = await db.run(TAKE_SNAPSHOT, [block.account_id, block.number, BLOCK]);
    if (made?.is_whole !== true) walk.refused.add(name);
    else if (made.rows > 0) taken += 1;
  }
  const last = found.at(-1);
  walk.behind =
    last === undefined || last.is_end ? START : { account: last.account_id, number: last.number };
  return { taken, more: found.length === bounds.blocksMax && walk.behind !== START };
}
