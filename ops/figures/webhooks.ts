import { type LoopResult, atRate, burst, refuseOthers } from './loops.js';
import { progress } from './progress.js';
import type { Scale } from './scale.js';
import type { Stage } from './stage.js';
import { eventShot } from './traffic.js';

export type WebhookFigures = { steady: LoopResult; burst: LoopResult };

/** From a signed event to its 200, which follows the commit that stores it, while the worker applies them. */
export async function measureWebhooks(stage: Stage, scale: Scale): Promise<WebhookFigures> {
  const { events: count, eventsPerSecond: perSecond, connections } = scale;
  const common = { url: stage.apiUrl, count, next: eventShot };
  await burst({ ...common, connections, count: connections });
  progress(`${count} webhooks, ${perSecond} a second`);
  const steady = await atRate({ ...common, perSecond });
  progress(`${count} webhooks at once`);
  const atOnce = await burst({ ...common, connections });
  return {
    steady: refuseOthers('webhooks', steady, 200),
    burst: refuseOthers('webhooks at once', atOnce, 200),
  };
}
