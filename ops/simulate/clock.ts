import type { Clock } from '#seams/clock.js';
import type { Scheduler } from './scheduler.js';
import type { Task } from './step.js';

/** The clocks of one line of events: all of them show the virtual time, and to sleep is a step. */
export function clockOf(scheduler: Scheduler, task: Task): Clock {
  return {
    monotonicMs: () => scheduler.nowMs,
    wallMs: () => scheduler.nowMs,
    sleep: async (ms, signal) => void (await scheduler.sleep(task, ms, signal)),
  };
}
