import type { Db, Tx } from '#postgres/db.js';
import { isNotOffered } from '#postgres/errors.js';
import type { Deps } from './deps.js';
import {
  NOTE_NOTHING_LOST,
  NOTE_SERVER,
  OPEN_NOTHING_LOST,
  RECOGNIZE_SERVER,
  type ServerRow,
} from './timeline.sql.js';

/**
 * What a new connection does before anybody gets it: compares the server with those that this database is known to have
 * been served by. Another one is a restore or a promotion, so that commits may be lost: a recovery begins, for all
 * replicas, as if somebody had declared it.
 *
 * Throws for a server that is in recovery itself: it may be promoted under the connection, and nobody would compare again.
 *
 * @keeps P1: no connection claims on a database that was set back before the recovery is there.
 */
export async function recognizeServer(session: Tx, { log }: Pick<Deps, 'log'>): Promise<void> {
  const server = await readServer(session).catch((error: unknown) => {
    if (!isNotOffered(error)) throw error;
    log.warning('timeline_unknown', {
      error: String(error),
      detail: 'a restore of this database is not noticed here; declare it with RECOVERY_SINCE',
    });
    return null;
  });
  if (server === null || server.known) return;
  const { system_identifier: system, timeline } = server;
  const [noted] = await session.run(NOTE_SERVER, [system, timeline]);
  if (!noted) return; // another connection was first
  if (noted.since === null) {
    log.info('timeline_noted', { system_identifier: system, timeline });
    return;
  }
  log.critical('database_set_back', {
    system_identifier: system,
    timeline,
    since: noted.since.toISOString(),
    detail:
      'another server or timeline than before: a restore or a promotion, and commits may be lost. New requests get 503 ' +
      'until what the processor made since then is imported. See that nothing still writes to the old server. If nothing ' +
      'was lost, npm run migrate -- --nothing-lost opens at once',
  });
}

/** Says of the server of this moment that nothing was lost with it. Returns the recoveries that this ended. */
export async function nothingLost(db: Db): Promise<Date[]> {
  return db.transaction(async (tx) => {
    const { system_identifier: system, timeline } = await readServer(tx);
    await tx.run(NOTE_NOTHING_LOST, [system, timeline]);
    return (await tx.run(OPEN_NOTHING_LOST, [])).map(({ since }) => since);
  });
}

async function readServer(session: Tx): Promise<ServerRow & { timeline: number }> {
  const [row] = await session.run(RECOGNIZE_SERVER, []);
  if (!row) throw new Error('Bug: a function of one row returned none');
  const { timeline } = row;
  if (timeline === null) throw new Error('The database server is in recovery itself');
  return { ...row, timeline };
}
