import { isCode, matches, splitComments, type Rule, type SourceFile } from '../source.js';

/** Nothing unfinished, and nothing that names the machine it was written on. */
export const noLeftovers: Rule = (files) =>
  files
    .filter((file) => !OWN_SAMPLES.test(file.path))
    .flatMap((file) => [...notes(file), ...machineTraces(file)]);

// These files spell the words that they look for.
const OWN_SAMPLES = /^test\/tidy(\/|-rules\.spec\.ts$)/;
const NOTE = /\b(TODO|FIXME|HACK|XXX)\b/g;
const TRACES: { pattern: RegExp; reason: string }[] = [
  // /home/node is the user's folder inside the official container images.
  {
    pattern: /(?<![\w.])\/(work|root)\/|(?<![\w.])\/home\/(?!node\b)\w+|\b[A-Z]:\\Users\\/g,
    reason: 'a path of one machine',
  },
  {
    pattern: /\bregistry\.[\w-]+\.[a-z]+|\bhttps?:\/\/[\w.-]*(artifactory|nexus|verdaccio)/g,
    reason: 'a package registry: its address is the setting of a machine',
  },
];

/** In code only comments count: XXX is also a currency. */
function notes(file: SourceFile) {
  const text = isCode(file) ? splitComments(file).comments : file.text;
  return matches(file, text, NOTE).map(({ line, match }) => ({
    path: file.path,
    line,
    reason: `${match}: finish it, or say in a sentence what is deliberately absent`,
  }));
}

function machineTraces(file: SourceFile) {
  return TRACES.flatMap(({ pattern, reason }) =>
    matches(file, file.text, pattern).map(({ line, match }) => ({
      path: file.path,
      line,
      reason: `${match}: ${reason}`,
    })),
  );
}
