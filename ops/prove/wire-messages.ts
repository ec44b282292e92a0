/**
 * Which statement a message to PostgreSQL brings: a prepared one by its name at Bind, any other (`COMMIT`) by its text.
 */
export function statementOf(type: string, message: Buffer): string | null {
  if (type === 'Q') return message.subarray(5, -1).toString('utf8').trim();
  if (type !== 'B') return null;
  const nameAt = message.indexOf(0, 5) + 1; // behind the portal's name
  return message.subarray(nameAt, message.indexOf(0, nameAt)).toString('utf8');
}

/** Cuts a stream into protocol messages. Only the client's very first one has no type. */
export class Messages {
  #pending: Buffer = Buffer.alloc(0);

  constructor(
    private untyped: boolean,
    private readonly each: (type: string, message: Buffer) => void,
  ) {}

  add(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    for (;;) {
      const typeBytes = this.untyped ? 0 : 1;
      if (this.#pending.length < typeBytes + 4) return;
      const size = typeBytes + this.#pending.readInt32BE(typeBytes);
      if (this.#pending.length < size) return;
      const message = this.#pending.subarray(0, size);
      this.#pending = this.#pending.subarray(size);
      const type = this.untyped ? '' : String.fromCharCode(message[0] ?? 0);
      this.untyped = false;
      this.each(type, message);
    }
  }
}
