// Runs a command out of a build that is there already, in an image that has neither sources nor compiler:
//   node ops/run-built.mjs migrate
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [command, ...args] = process.argv.slice(2);
const build = process.env.PAYONCE_BUILD ?? 'dist';
process.argv = [
  process.argv[0],
  join(import.meta.dirname, '..', build, 'ops', `${command}.js`),
  ...args,
];
const { main } = await import(pathToFileURL(process.argv[1]).href);
await main(args);
