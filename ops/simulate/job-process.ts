import { inspect } from 'node:util';
import { type Share, runShare } from './job.js';

/** One share of the seeds, in this process; it stops when its parent lets go of it. */
const stopped = new AbortController();
process.once('disconnect', () => {
  stopped.abort();
  setTimeout(() => process.exit(1), 5_000).unref();
});
process.on('SIGINT', () => {});
process.once('message', (share) => {
  const tell = (tally: unknown) => void (process.connected && process.send?.(tally));
  runShare(share as Share, tell, stopped.signal).then(
    (tally) => {
      tell(tally);
      if (process.connected) process.disconnect();
    },
    (error: unknown) => {
      process.stderr.write(`${inspect(error)}\n`);
      process.exit(1);
    },
  );
});
