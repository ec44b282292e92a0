import { isProduct, isSpec, lineAt, type Rule } from '../source.js';

/** A failpoint that no code passes, or that no crash test fires, proves nothing. */
export const failpointsAreUsed: Rule = (files) => {
  const home = files.find((file) => file.path === 'libs/seams/src/failpoints.ts');
  const list = home?.text.match(/FAILPOINT_NAMES = \[([^\]]*)\]/);
  if (!home || !list)
    return [{ path: 'libs/seams/src/failpoints.ts', line: 1, reason: 'FAILPOINT_NAMES not found' }];
  const line = lineAt(home.text, list.index ?? 0);
  const code = files.filter((file) => isProduct(file) && file !== home).map((file) => file.text);
  const crashTests = files
    .filter((file) => file.path.startsWith('test/crash/') && isSpec(file))
    .map((file) => file.text);
  return [...(list[1] ?? '').matchAll(/'([^']+)'/g)].flatMap(([, name]) => {
    const passed = code.some((text) => text.includes(`failpoint('${name}')`));
    // A spec that goes through the list itself fires every one of them.
    const fired = crashTests.some((text) =>
      new RegExp(`\\b(${name}|FAILPOINT_NAMES)\\b`).test(text),
    );
    return [
      ...(passed ? [] : [{ path: home.path, line, reason: `no code passes failpoint('${name}')` }]),
      ...(fired ? [] : [{ path: home.path, line, reason: `no spec in test/crash fires ${name}` }]),
    ];
  });
};
