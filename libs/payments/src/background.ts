/** Work that goes on after its caller was answered. A process that stops waits for it. */
export class Background {
  readonly #running = new Set<Promise<unknown>>();

  add(work: Promise<unknown>): void {
    this.#running.add(work);
    const remove = () => this.#running.delete(work);
    work.then(remove, remove);
  }

  /** Resolves when nothing is running any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
