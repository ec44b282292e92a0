import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The listening socket, which can be closed for a while so that connections are really refused. */
export class Listener {
  port = 0;
  #reopening: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(
    private readonly server: Server,
    private readonly host: string,
    private readonly log: (event: string, more: Record<string, unknown>) => void,
  ) {}

  get isRefusing(): boolean {
    return this.#reopening !== null;
  }

  async open(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, this.host, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Idle connections go at once; requests that are running end, and their connections after them. */
  refuseFor(ms: number): void {
    if (this.#stopped) return;
    if (this.#reopening) clearTimeout(this.#reopening);
    else this.server.close();
    this.server.closeIdleConnections();
    this.log('mock_refusing', { for_ms: ms });
    this.#reopening = setTimeout(() => this.#reopen(), ms);
  }

  async close(): Promise<void> {
    this.#stopped = true;
    if (this.#reopening) clearTimeout(this.#reopening);
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  #reopen(): void {
    this.#reopening = null;
    this.open(this.port).then(
      () => this.log('mock_listening', { port: this.port }),
      () => {
        // The port was taken meanwhile: tried again until it is free or the mock stops.
        if (!this.#stopped) this.#reopening = setTimeout(() => this.#reopen(), 200);
      },
    );
  }
}
