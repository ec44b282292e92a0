import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/** One address for the processor's events, passed on to the API whose turn it is, if it takes the connection. */
export class Balancer {
  readonly #callers = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(nextUrl: () => string): Promise<Balancer> {
    const server = createServer({ allowHalfOpen: true });
    const balancer = new Balancer(server);
    server.on('connection', (caller) => {
      balancer.#callers.add(caller);
      caller.on('close', () => balancer.#callers.delete(caller));
      const url = nextUrl();
      if (url === '') return void caller.destroy();
      const service = connect(Number(new URL(url).port), '127.0.0.1');
      caller.on('error', () => service.destroy());
      service.on('error', () => caller.destroy());
      service.on('close', () => caller.destroy());
      caller.pipe(service).pipe(caller);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/webhooks/stripe`;
  }

  /** Ends connections that are kept alive, so that the next event is passed on anew. */
  passAnew(): void {
    for (const caller of this.#callers) caller.destroy();
  }

  close(): void {
    this.server.close();
    this.passAnew();
  }
}
