/** The anti-join: those that have no partner in another book. */
export function withoutPartner<Item>(
  items: readonly Item[],
  partnerOf: (item: Item) => unknown,
): Item[] {
  return items.filter((item) => (partnerOf(item) ?? false) === false);
}
