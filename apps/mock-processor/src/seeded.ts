/** Numbers in [0, 2^32) that follow from the seed alone (splitmix32). */
export function seededNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
}

/** The same order for the same seed and number of items. */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const next = seededNumbers(seed);
  const ranked = items.map((item) => ({ item, rank: next() }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ item }) => item);
}
