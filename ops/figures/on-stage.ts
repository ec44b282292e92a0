import type { Db } from '#postgres/db.js';
import { onDatabase } from '../on-database.js';
import { Stage } from './stage.js';

/**
 * Gives `work` a stage of its own and a connection to its database. A stop does not wait for the work: the stage is
 * ended under it, with everything that it put on the disk.
 */
export async function onStage<T>(
  stopping: AbortSignal,
  work: (stage: Stage, db: Db) => Promise<T>,
): Promise<T> {
  stopping.throwIfAborted();
  const stage = await Stage.open();
  try {
    stopping.throwIfAborted();
    const stopped = new Promise<never>((_resolve, reject) => {
      stopping.addEventListener('abort', () => reject(stopping.reason as Error), { once: true });
    });
    const done = onDatabase(stage.ownerUrl, 'figures', (db) => work(stage, db));
    return await Promise.race([done, stopped]);
  } finally {
    await stage.close();
  }
}
