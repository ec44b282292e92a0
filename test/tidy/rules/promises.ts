import { isProduct, matches, type Rule } from '../source.js';

/** The promises of this stage of the project. One more is added here together with the code that keeps it. */
export const PROMISES = ['P1', 'P2', 'P3', 'P4', 'P5', 'P7', 'P8', 'P9'] as const;

/** Each promise has code that names it (`@keeps P1`) and a spec of its own, so that neither gets lost in a change. */
export const promisesAreKept: Rule = (files) => {
  const keepers = files.filter(
    (file) => isProduct(file) || /^migrations\/.*\.sql$/.test(file.path),
  );
  const specs = files.filter((file) => file.path.startsWith('test/promises/'));
  return PROMISES.flatMap((promise) => {
    const kept = keepers.some(
      (file) =>
        matches(file, file.text, new RegExp(`@keeps ([P0-9, ]*\\b)?${promise}\\b`, 'g')).length > 0,
    );
    const number = promise.slice(1).padStart(2, '0');
    const tested = specs.some((file) =>
      new RegExp(`^test/promises/p${number}-.+\\.spec\\.ts$`).test(file.path),
    );
    return [
      ...(kept ? [] : [{ path: 'libs', line: 1, reason: `no code says "@keeps ${promise}"` }]),
      ...(tested
        ? []
        : [
            { path: 'test/promises', line: 1, reason: `no p${number}-….spec.ts proves ${promise}` },
          ]),
    ];
  });
};
