import { createHash } from 'node:crypto';
import { invalid } from './errors.js';

export type FormNode = string | FormTree;
export type FormTree = Map<string, FormNode>;
export type Form = { tree: FormTree; pairs: [name: string, value: string][] };

const PAIRS_MAX = 1000;
const DEPTH_MAX = 6;

/**
 * Reads `a=1&metadata[k]=v&expand[]=x&expand[1]=y` as Stripe's clients write it. Trees are Maps: a
 * member named `__proto__` is a name like any other.
 */
export function parseForm(text: string): Form {
  const tree: FormTree = new Map();
  const pairs: [string, string][] = [];
  for (const piece of text.split('&')) {
    if (piece === '') continue;
    if (pairs.length === PAIRS_MAX) throw invalid(`More than ${PAIRS_MAX} parameters were sent.`);
    const cut = piece.indexOf('=');
    const name = decode(cut < 0 ? piece : piece.slice(0, cut));
    const value = decode(cut < 0 ? '' : piece.slice(cut + 1));
    pairs.push([name, value]);
    put(tree, path(name), value, name);
  }
  return { tree, pairs };
}

/** Equal for requests with the same parameters, in whatever order they were written. */
export function formFingerprint(form: Form): string {
  const lines = form.pairs.map(([name, value]) => JSON.stringify([name, value])).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid('A parameter is not valid percent-encoded UTF-8.');
  }
}

/** `a[b][]` becomes `['a', 'b', '']`; the empty step means "the next of a list". */
function path(name: string): string[] {
  const open = name.indexOf('[');
  const head = open < 0 ? name : name.slice(0, open);
  const tail = open < 0 ? '' : name.slice(open);
  if (head === '' || !/^(\[[^[\]]*\])*$/.test(tail)) {
    throw invalid(`The parameter name ${JSON.stringify(name.slice(0, 80))} cannot be read.`);
  }
  const steps = [head, ...[...tail.matchAll(/\[([^[\]]*)\]/g)].map((match) => match[1] ?? '')];
  if (steps.length > DEPTH_MAX) throw invalid('A parameter is nested too deeply.', head);
  return steps;
}

function put(tree: FormTree, steps: string[], value: string, name: string): void {
  const [first = '', ...rest] = steps;
  const step = first === '' ? String(tree.size) : first;
  const there = tree.get(step);
  if (rest.length === 0) {
    if (there !== undefined) throw invalid(`The parameter ${name} was sent more than once.`, name);
    tree.set(step, value);
    return;
  }
  if (typeof there === 'string') {
    throw invalid(`The parameter ${steps[0]} was sent both as a value and as an object.`, name);
  }
  const branch: FormTree = there ?? new Map();
  if (there === undefined) tree.set(step, branch);
  put(branch, rest, value, name);
}
