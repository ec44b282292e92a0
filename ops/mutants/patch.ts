import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant, Patch } from './mutant.js';

/** What is wrong with a mutant's patches as the sources stand now; null if each fits at exactly one place. */
export function staleness(root: string, { id, patches }: Mutant): string | null {
  for (const { file, find, put } of patches) {
    const found = occurrences(textOf(root, file), find);
    if (found !== 1) return `${id} is stale: its text stands ${found} times in ${file}`;
    if (find === put) return `${id} is stale: it changes nothing in ${file}`;
  }
  return null;
}

/** Patches a copy of the sources, and returns what puts it back. */
export function applyPatches(root: string, patches: readonly Patch[]): () => void {
  const originals = new Map<string, string>();
  for (const { file, find, put } of patches) {
    const text = textOf(root, file);
    if (!originals.has(file)) originals.set(file, text);
    writeFileSync(
      join(root, file),
      text.replace(find, () => put),
    );
  }
  return () => {
    for (const [file, text] of originals) writeFileSync(join(root, file), text);
  };
}

function textOf(root: string, file: string): string {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return ''; // a file that has gone has the text nowhere
  }
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}
