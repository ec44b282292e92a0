import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Processes, type ServiceProcess } from '#testing/processes.js';
import { ProcessSystem } from '#testing/process-system.js';
import { rawPayment } from '#testing/raw-request.js';
import { Lane } from '../../ops/abuse/lane.js';

let system: ProcessSystem;
let api: ServiceProcess;
const processes = new Processes();
beforeAll(async () => {
  system = await ProcessSystem.start();
  api = await system.api(processes);
});
afterAll(async () => {
  await processes.endAll();
  await system.close();
});

const TIMES = 50;

// In one process with its server a client is never in the middle of a write when the answer comes.
it('a client hears that its body is too large, and is not reset while it sends it', async () => {
  const body = Buffer.alloc(4 * 1_048_576, ' ');
  const ends: Record<string, number> = {};
  for (let time = 0; time < TIMES; time++) {
    const lane = await Lane.open(api.url);
    const end = await lane.ask(
      rawPayment(system.apiKey, [`Idempotency-Key: ${randomUUID()}`], body),
    );
    const says = end.kind === 'answer' ? String(end.answer.status) : end.kind;
    ends[says] = (ends[says] ?? 0) + 1;
    lane.close();
  }
  expect(ends).toEqual({ 413: TIMES });
});
