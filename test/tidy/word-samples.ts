import { noForbiddenWords } from './rules/forbidden-words.js';
import { noLeftovers } from './rules/leftovers.js';
import type { Sample } from './samples.js';

export const WORD_SAMPLES: Sample[] = [
  word(
    'save() of a repository',
    'libs/a/src/a.ts',
    'rowRepository.save(row);',
    'rowRepository.save(',
    'file.save(row);',
  ),
  word('forwardRef', 'apps/a/src/a.ts', 'forwardRef(() => A);', 'forwardRef', 'forwards(() => A);'),
  word('ModuleRef', 'apps/a/src/a.ts', 'get(ModuleRef);', 'ModuleRef', 'get(Module);'),
  word(
    'request scope',
    'apps/a/src/a.ts',
    'f(Scope.REQUEST);',
    'Scope.REQUEST',
    'f(Scope.DEFAULT);',
  ),
  word(
    'console.log',
    'apps/a/src/a.ts',
    "console.log('x');",
    'console.log',
    "log('x'); // console.log",
  ),
  word('Date.now()', 'libs/a/src/a.ts', 'f(Date.now());', 'Date.now()', 'f(clock.wallMs());'),
  word('new Date()', 'libs/a/src/a.ts', 'f(new Date());', 'new Date()', 'f(new Date(ms));'),
  word(
    'Math.random()',
    'libs/a/src/a.ts',
    'f(Math.random());',
    'Math.random()',
    'f(random.unit());',
  ),
  word(
    'a bare excuse',
    'libs/a/src/a.ts',
    'f(Date.now()); // tidy-allow:',
    'Date.now()',
    'f(Date.now()); // tidy-allow: so',
  ),
  word(
    'now() in a migration',
    'migrations/0001-a.sql',
    'DEFAULT now()',
    'now()',
    'DEFAULT payonce_now() -- now()',
  ),
  word(
    'CURRENT_TIMESTAMP',
    'libs/a/src/a.sql.ts',
    's(`current_timestamp`);',
    'current_timestamp',
    's(`payonce_now()`);',
  ),
  word(
    'random() in SQL',
    'libs/a/src/a.sql.ts',
    's(`gen_random_uuid()`);',
    'gen_random_uuid()',
    's(`payonce_random_uuid()`);',
  ),
  word(
    'now() beside its home',
    'migrations/0001-a.sql',
    'SELECT now();',
    'now()',
    'CREATE FUNCTION payonce_now() AS $$ SELECT now() $$;',
  ),
  leftover('TODO', 'libs/a/src/a.ts', '// TODO: later', 'TODO', '// Deliberately absent: later'),
  leftover('FIXME in a page', 'docs/a.md', 'FIXME', 'FIXME', 'Fixed.'),
  leftover('XXX in a comment', 'libs/a/src/a.ts', 'f(); // XXX', 'XXX', "f('XXX');"),
  leftover('HACK in SQL', 'migrations/0001-a.sql', '-- HACK', 'HACK', '-- a hackney carriage'),
  leftover(
    'a folder of one machine',
    'ops/a.ts',
    "f('/root/main');",
    '/root/',
    "f('docs/root/main');",
  ),
  leftover(
    "a person's folder",
    'docs/a.md',
    'cd /home/someone/x',
    '/home/someone',
    'cd /home/node/x',
  ),
  leftover("root's folder", 'docs/a.md', 'cd /root/x', '/root/', 'the root/ folder'),
  leftover(
    'a registry',
    '.npmrc',
    'registry=https://registry.example.org/',
    'registry.example.org',
    'fund=false',
  ),
];

/** `red` in one file, its innocent likeness `green` in the same place. */
function word(what: string, path: string, red: string, says: string, green: string): Sample {
  return {
    rule: noForbiddenWords,
    what,
    red: { [path]: `\n${red}` },
    says: `${path}:2 ${says}`,
    green: { [path]: `\n${green}` },
  };
}

function leftover(...sample: Parameters<typeof word>): Sample {
  return { ...word(...sample), rule: noLeftovers };
}
