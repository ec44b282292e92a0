import type { Answer } from '../../apps/mock-processor/src/answer.js';
import type { Processor } from '#processor/processor.js';
import type { Exchange } from '#processor/send-once.js';
import { RENDERING_VERSIONS } from '#processor/renderings.js';
import { STRIPE_API_VERSION, stripeProcessor } from '#processor/stripe-processor.js';
import type { Carry } from '#processor/stripe-transport.js';
import type { Clock } from '#seams/clock.js';
import type { SimulatedProcessor } from './processor.js';
import type { Scheduler } from './scheduler.js';
import type { Standing, Task } from './step.js';

/**
 * What may become of a request to the processor: it is lost before it is there, or worked off and its answer lost;
 * an error instead of the work, or after it; it hangs; it is late, and worked off when its caller has given up.
 */
export const SEND_ENDS = [
  'ok',
  'lost before',
  'booked and lost',
  'down',
  'error_not_charged',
  'error_charged',
  'refused',
  'busy',
  'hangs before',
  'booked and hangs',
  'garbage',
  'late',
  'slow',
  'answers late',
] as const;
export const READ_ENDS = ['ok', 'lost before', 'down', 'refused', 'hangs before', 'busy'] as const;
type End = (typeof SEND_ENDS)[number];

/** No network keeps a request for longer. */
const LATE_MS_MAX = 30_000;
const SLOW_MS = 3_000;

/** For what the mock has a name; the others happen on the way. */
const MOCK_FAULTS: Partial<Record<End, string>> = {
  down: 'down',
  error_not_charged: 'error_not_charged',
  error_charged: 'error_charged',
  busy: 'busy',
};

/** Changes a request on its way: a test plants an error of the service with it, which has to be found. */
export type Tamper = (request: Parameters<Carry>[0], task: Task) => Parameters<Carry>[0];

/**
 * The service has just looked whether it may still send. A process that is stopped between that look and the write,
 * for longer than the half of the processor's window that is kept back for it, is a risk that the design states.
 */
const STOPPED_MS_MAX = 11 * 3_600_000;

function byWhen({ scheduler }: Line, method: string): Standing {
  return method === 'POST' ? { byMs: scheduler.nowMs + STOPPED_MS_MAX } : {};
}

type Line = {
  scheduler: Scheduler;
  processor: SimulatedProcessor;
  clock: Clock;
  tamper: Tamper | null;
};

/** The adapter to the processor as it runs in production, with a network of steps in place of HTTP. */
export function openProcessor(
  line: Line,
  task: Task,
  onCall: (task: Task, path: string, end: string) => void,
): Processor {
  const carry: Carry = async (request) => {
    const { method, path } = request;
    const ends: readonly End[] = method === 'POST' ? SEND_ENDS : READ_ENDS;
    const what = `${method} ${(path.split('?')[0] ?? '').replace(/(pi|re|ch|dp)_\w+/, '$1')}`;
    const end = (await line.scheduler.stand(task, what, ends, byWhen(line, method))) as End;
    onCall(task, what, end);
    const sent = line.tamper?.(request, task) ?? request;
    const exchange = await travel(line, task, sent, end);
    line.scheduler.trace.result(task, JSON.stringify(exchange));
    return exchange;
  };
  const options = { name: NAME, secretKey: 'sk_test_simulated', clock: line.clock, carry };
  return madeWhenUsed(() => stripeProcessor({ ...options, apiBase: 'http://processor.invalid' }));
}

const NAME = 'mock';

/** To make an adapter takes longer than most statements, and most passes of a worker call nobody. */
function madeWhenUsed(make: () => Processor): Processor {
  const known = {
    name: NAME,
    apiVersion: STRIPE_API_VERSION,
    renderingVersions: RENDERING_VERSIONS,
  };
  let made: Processor | null = null;
  return new Proxy(known as Processor, {
    get: (target, name) => Reflect.get(name in target ? target : (made ??= make()), name),
  });
}

async function travel(
  line: Line,
  task: Task,
  request: Parameters<Carry>[0],
  end: End,
): Promise<Exchange> {
  const { scheduler, processor } = line;
  switch (end) {
    case 'lost before':
      return failed('reset');
    case 'refused':
      return failed('connect_refused');
    case 'booked and lost':
      await processor.serve(request, null);
      return failed('reset');
    case 'hangs before':
      return hang(line, task, request.timeoutMs);
    case 'booked and hangs':
      await processor.serve(request, null);
      return hang(line, task, request.timeoutMs);
    case 'late':
      scheduler.spawn(`late ${task.name}`, 'network', async (late) => {
        const dueMs = scheduler.nowMs + LATE_MS_MAX;
        await scheduler.stand(late, 'arrives late', ['ok'], { dueMs, byMs: dueMs });
        await processor.serve(request, null);
      });
      return hang(line, task, request.timeoutMs);
    case 'slow':
      return slowly(line, task, request);
    case 'error_charged':
      // One that charged, says 500 and forgets its key breaks its own word: a re-send charges, whoever sends it.
      if (processor.mode !== 'forget_non_2xx') break;
      await processor.serve(request, null);
      return failed('reset');
    case 'answers late': {
      const answer = await processor.serve(request, null);
      await scheduler.stand(task, 'hears the processor');
      return answered(answer, end);
    }
  }
  return answered(await processor.serve(request, MOCK_FAULTS[end] ?? null), end);
}

/** The processor takes its time, and may take longer than its caller waits. */
async function slowly(
  { scheduler, processor }: Line,
  task: Task,
  request: Parameters<Carry>[0],
): Promise<Exchange> {
  const over = new AbortController();
  const deadline = scheduler.sleep(task, request.timeoutMs, over.signal);
  const work = processor.serve(request, `slow_${SLOW_MS}`);
  const first = await Promise.race([work, deadline.then(() => null)]);
  over.abort('over');
  return first === null ? failed('deadline_after_sending') : answered(first, 'slow');
}

async function hang({ scheduler }: Line, task: Task, timeoutMs: number): Promise<Exchange> {
  await scheduler.sleep(task, timeoutMs);
  return failed('deadline_after_sending');
}

function failed(failure: 'reset' | 'connect_refused' | 'deadline_after_sending'): Exchange {
  return { kind: 'failed', failure, detail: failure };
}

function answered({ status, headers, body }: Answer, end: End): Exchange {
  if (end === 'garbage') {
    return { kind: 'answered', status: 200, headers: {}, body: Buffer.from('<html>It wor') };
  }
  return { kind: 'answered', status, headers, body: Buffer.from(body) };
}
