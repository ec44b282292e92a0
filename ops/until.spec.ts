import { describe, expect, it } from 'vitest';
import { untilQuiet } from './prove/quiet.js';
import type { World } from './prove/world.js';
import { until } from './until.js';

describe('what a run waits for, and Ctrl-C', () => {
  it('is not waited for any longer', async () => {
    const stopping = new AbortController();
    const waiting = until('what never comes', { stopping: stopping.signal }, async () => {
      stopping.abort();
      return false;
    });
    await expect(waiting).rejects.toThrow('aborted');
  });

  it('holds all the same where it has come', async () => {
    await expect(
      until('what is there', { stopping: AbortSignal.abort() }, async () => true),
    ).resolves.toBe(undefined);
  });

  it('ends the wait for a system that never comes to rest, which says what is left', async () => {
    const stopping = new AbortController();
    const world = {
      stopping: stopping.signal,
      advance: async () => stopping.abort(),
      processor: { state: async () => ({ events_owed: 1, running_keys: 0, events: 0 }) },
      owner: { run: async () => [] },
    };
    expect(await untilQuiet(world as unknown as World)).toMatchObject({ owed: 1 });
  });
});
