import pg from 'pg';

/** Connections of one spec, all closed together. */
export class Sessions {
  readonly #clients: pg.Client[] = [];

  /** A connection as whoever the URL names. */
  async open(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {}); // a spec may end it on purpose; the running query rejects
    this.#clients.push(client);
    await client.connect();
    return client;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end()));
  }
}

export type Refusal = { code?: string; constraint?: string; message: string };

/** What the server says to a statement that it refuses; null if it does not. */
export async function refusalOf(
  session: pg.Client,
  text: string,
  values: unknown[] = [],
): Promise<Refusal | null> {
  try {
    await session.query(text, values);
    return null;
  } catch (error) {
    const { code, constraint, message } = error as Refusal;
    return { ...(code && { code }), ...(constraint && { constraint }), message };
  }
}
