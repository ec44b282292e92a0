import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Dice } from './dice.js';
import { cardNumber, secretKey } from './secrets.js';

/** Something that nobody else would write, put in at one place, and looked for everywhere afterwards. */
export type Canary = {
  kind: 'card' | 'secret';
  /** Which input carried it. */
  input: string;
  text: string;
};

/** Where it is looked for. */
export type Place = {
  name: string;
  /** A text, a file, or a folder with all that is in it. */
  at: { text: string } | { file: string } | { folder: string };
  /** Whether it may stand there, though it is seen. Nothing may, where this is left out. */
  mayHold?: (canary: Canary) => boolean;
};

export type Sighting = { place: string; input: string; kind: Canary['kind']; allowed: boolean };

/**
 * What a merchant writes for themselves is kept as it is, in rows, in the events made of them, and so in the files and
 * logs of the database: a tenth of all long order numbers would pass for a card's. Nothing else is kept in clear.
 */
export const FREE_TEXTS = ['description', 'metadata', 'order_id', 'refund_reason'];
export const isFreeText = ({ input }: Canary) => FREE_TEXTS.includes(input);

/** A card number and a secret for each input. */
export function makeCanaries(seed: number, inputs: readonly string[]): Canary[] {
  return inputs.flatMap((input, at) => {
    const dice = Dice.ofOne(seed, at);
    return [
      { kind: 'card' as const, input, text: cardNumber(dice) },
      { kind: 'secret' as const, input, text: secretKey(dice) },
    ];
  });
}

/** Looks for each of them in each place, and says where it stands. */
export async function scanFor(
  canaries: readonly Canary[],
  places: readonly Place[],
): Promise<Sighting[]> {
  const found: Sighting[] = [];
  for (const { name, at, mayHold = () => false } of places) {
    const seen =
      'text' in at ? inBytes(canaries, Buffer.from(at.text)) : await inFiles(canaries, at);
    for (const canary of seen) {
      const { input, kind } = canary;
      found.push({ place: name, input, kind, allowed: mayHold(canary) });
    }
  }
  return found;
}

const CHUNK = 4 << 20;

async function inFiles(
  canaries: readonly Canary[],
  at: { file: string } | { folder: string },
): Promise<Set<Canary>> {
  const seen = new Set<Canary>();
  for (const file of await filesOf(at)) await readInto(seen, canaries, file);
  return seen;
}

async function filesOf(at: { file: string } | { folder: string }): Promise<string[]> {
  if ('file' in at) return [at.file];
  const names = await readdir(at.folder, { recursive: true });
  const files: string[] = [];
  for (const name of names) {
    const path = join(at.folder, name);
    // A server that runs may take one away between two looks.
    if ((await stat(path).catch(() => null))?.isFile()) files.push(path);
  }
  return files;
}

/** In parts that overlap, since one may stand across the end of a part. */
async function readInto(
  seen: Set<Canary>,
  canaries: readonly Canary[],
  file: string,
): Promise<void> {
  const overlap = Math.max(...canaries.map(({ text }) => text.length));
  const handle = await open(file).catch(() => null);
  if (handle === null) return;
  try {
    const buffer = Buffer.alloc(CHUNK + overlap);
    let kept = 0;
    for (let position = 0; ;) {
      const { bytesRead } = await handle.read(buffer, kept, CHUNK, position);
      if (bytesRead === 0) return;
      for (const canary of inBytes(canaries, buffer.subarray(0, kept + bytesRead)))
        seen.add(canary);
      position += bytesRead;
      const end = kept + bytesRead;
      kept = Math.min(overlap, end);
      buffer.copy(buffer, 0, end - kept, end);
    }
  } finally {
    await handle.close();
  }
}

function inBytes(canaries: readonly Canary[], bytes: Buffer): Set<Canary> {
  return new Set(canaries.filter(({ text }) => bytes.includes(text)));
}
