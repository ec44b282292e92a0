import { readConfig } from '#platform/config.js';
import { type Core, openCore } from '#platform/core.js';
import { openLogger } from '#platform/logging.js';
import { createApp } from '../../../apps/payments-api/src/create-app.js';
import { ApiClient } from './http.js';
import type { System } from './system.js';

export type Node = { client: ApiClient; core: Core; close(): Promise<void> };

/** One more API on the database and the processor of a system; its sessions have these settings. */
export async function startNode(
  system: System,
  session: Record<string, string>,
  env: Record<string, string> = {},
): Promise<Node> {
  const url = new URL(system.database.appUrl);
  const settings = Object.entries(session).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`,
  );
  url.searchParams.set('options', settings.join(' '));
  const config = readConfig({
    APP_DATABASE_URL: url.href,
    STRIPE_API_BASE: system.mock.url,
    ...env,
  });
  const logger = openLogger('node', 'debug', {
    write: (line: string) => void system.log.push(JSON.parse(line)),
  });
  const core = await openCore(config, logger, { service: 'node' });
  const app = await createApp(core);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as { port: number };
  return {
    client: new ApiClient(`http://127.0.0.1:${port}`, system.client.apiKey),
    core,
    close: async () => {
      await app.close();
      await core.close();
    },
  };
}
