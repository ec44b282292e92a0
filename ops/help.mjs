// `npm run help`: every command with a sentence. A test holds this list and package.json's scripts equal.
import { pathToFileURL } from 'node:url';

export const COMMANDS = {
  start:
    'Starts everything on this machine: database, API, worker and mock processor; prints a curl to try.',
  dev: 'The same as start, from the sources, and starts a service again when its files change.',
  test: 'Format, lint and types, then every test; `npm test -- path` runs a part, `npm test -- --long` every fault and kill.',
  soak: 'Kills replicas of API and worker at random for a minute under load, then compares the books.',
  check: 'Format, lint, types and house rules, without the tests; `-- --fix` repairs what it can.',
  build: 'Makes the production build in dist/: without failpoints and without demo secrets.',
  migrate: 'Brings the database behind DATABASE_URL to the newest schema; two at once are safe.',
  keys: 'Makes, rotates and revokes API keys.',
  mock: 'Starts the mock card processor alone.',
  verify:
    'Checks the books: the guards of the ledger, the hash chain over it, and that all is in balance.',
  reconcile:
    "Compares a day with the processor's settlement report, repairs what is safe, and names the rest.",
  docs: 'Writes the pages that are made from data: the fault matrix and the figures of the proof.',
  figures:
    'Measures and prints the figures of the README, with machine, versions and sample sizes.',
  prove:
    'Runs clients, faults and real kills against the real system, then compares three books of it.',
  load: 'Runs a k6 script from load-tests/ without k6; its README says where that differs from k6.',
  model: 'Searches the protocol as a small state machine: every state, up to three faults.',
  mutants: 'Breaks the sources in one way after the other, and expects the named check to see it.',
  simulate:
    "Runs the service's own code one step at a time, in an order and with faults that a seed draws.",
  conformance:
    'Tries any HTTP service with idempotency keys from outside, this one or another; `--peers` compares.',
  drill:
    'Loses the last minutes of a database, restores it, and shows that no money is lost or taken twice.',
  help: 'Prints this list.',
};

function main() {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  console.log('npm run <command> [-- arguments]; each takes --help\n');
  for (const [name, sentence] of Object.entries(COMMANDS)) {
    console.log(`  ${name.padEnd(width)}  ${sentence}`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
