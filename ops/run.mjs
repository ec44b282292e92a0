// `npm run <command>` for every command that is written in TypeScript: builds when the sources have
// changed (a few seconds, said on stderr), then runs dist-demo/ops/<command>.js in this very process,
// so that signals sent to npm's child reach the command itself.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';

const [command, ...args] = process.argv.slice(2);
const started = performance.now();
const { folder, fresh } = build('demonstration');
if (fresh) console.error(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
process.argv = [process.argv[0], join(folder, 'ops', `${command}.js`), ...args];
const { main } = await import(pathToFileURL(process.argv[1]).href);
await main(args);
