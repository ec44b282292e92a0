// `npm run <command>` for every command that is written in TypeScript: builds when the sources have
// changed (a few seconds, said on stderr), then runs dist-demo/ops/<command>.js in this very process,
// so that signals sent to npm's child reach the command itself.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BuildError, build } from './build.mjs';

const [command, ...args] = process.argv.slice(2);
const started = performance.now();
const { folder, fresh } = builtOrExit();
if (fresh) console.error(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
process.argv = [process.argv[0], join(folder, 'ops', `${command}.js`), ...args];
const { main } = await import(pathToFileURL(process.argv[1]).href);
await main(args);

function builtOrExit() {
  try {
    return build('demonstration');
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    console.error(error.message);
    return process.exit(2); // it could not run: 1 is a finding
  }
}
