/** What becomes of an event's deliveries, as the book's file has it. */
export type OwedChange =
  { owed: string; copies: number } | { delivered: string; copies: number } | { abandoned: string };

/** The deliveries that are still owed, so that a restart goes on where a kill stopped it. */
export class Owed {
  /** How many copies of which event, in the order in which they came to be owed. */
  readonly copies = new Map<string, number>();
  /** Events of which no delivery has succeeded, whether one is still owed or not. */
  readonly unheard = new Set<string>();

  begin(eventId: string, copies: number): void {
    this.unheard.add(eventId);
    this.#add(eventId, copies);
  }

  apply(change: OwedChange): void {
    if ('abandoned' in change) {
      this.copies.delete(change.abandoned);
    } else if ('delivered' in change) {
      this.unheard.delete(change.delivered);
      this.#add(change.delivered, -change.copies);
    } else {
      this.#add(change.owed, change.copies);
    }
  }

  #add(eventId: string, copies: number): void {
    const left = (this.copies.get(eventId) ?? 0) + copies;
    if (left > 0) this.copies.set(eventId, left);
    else this.copies.delete(eventId);
  }
}
