import type { Raced, Racer } from './burst-parts.js';
import { Lane, type WireAnswer } from './lane.js';

/** As many connections as a burst is wide; each takes part in every burst while it lasts. */
export class StartLine {
  readonly #lanes: Lane[] = [];

  private constructor(
    private readonly url: string,
    private readonly apiKey: string,
  ) {}

  static async open(url: string, apiKey: string, wide: number): Promise<StartLine> {
    const line = new StartLine(url, apiKey);
    for (let at = 0; at < wide; at++) line.#lanes.push(await Lane.open(url));
    return line;
  }

  /** Everything but the last byte of each first; when all of that is out, all the last bytes at once. */
  async release(racers: readonly Racer[]): Promise<Raced[]> {
    const lanes = await Promise.all(racers.map((_racer, at) => this.#lane(at)));
    const requests = racers.map((racer) => this.#bytesOf(racer, 'POST'));
    const answers = lanes.map((lane) => lane.awaitAnswer());
    await Promise.all(lanes.map((lane, at) => lane.write(requests[at]!.subarray(0, -1))));
    for (const [at, lane] of lanes.entries()) void lane.write(requests[at]!.subarray(-1));
    const ends = await Promise.all(answers);
    return ends.map((end, at) => {
      const racer = racers[at]!;
      if (end.kind !== 'answer')
        throw new Error(`${racer.path}: no answer to a racer: ${end.kind}`);
      return { racer, answer: end.answer };
    });
  }

  /** One request alone. */
  readonly ask = async (racer: Racer, method = 'POST'): Promise<WireAnswer> => {
    const lane = await this.#lane(0);
    const end = await lane.ask(this.#bytesOf(racer, method));
    if (end.kind !== 'answer') throw new Error(`${method} ${racer.path}: ${end.kind}`);
    return end.answer;
  };

  close(): void {
    for (const lane of this.#lanes) lane.close();
  }

  async #lane(at: number): Promise<Lane> {
    const lane = this.#lanes[at];
    if (lane?.isOpen) return lane;
    return (this.#lanes[at] = await Lane.open(this.url));
  }

  #bytesOf({ path, key, body, headers = [] }: Racer, method: string): Buffer {
    const text = body === null ? '' : JSON.stringify(body);
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      `Authorization: Bearer ${this.apiKey}`,
      ...(key === null ? [] : [`Idempotency-Key: ${key}`]),
      ...(body === null
        ? []
        : ['Content-Type: application/json', `Content-Length: ${text.length}`]),
      ...headers.map(([name, value]) => `${name}: ${value}`),
    ];
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`, 'latin1');
  }
}
