import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Processor, StepRequest } from '#processor/processor.js';
import { systemRandom } from '#seams/random.js';
import { startMockProcessor } from '../../../apps/mock-processor/src/server.js';
import { MockClient } from './mock-client.js';
import { CHARGE, MANUAL, REFUND, StripeBench, TIMEOUT } from './stripe-answers.js';

/** The adapter and the mock processor, and payments there for later steps to act on. */
export async function startStepWorld(): Promise<StepWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'payonce-steps-'));
  const mock = await startMockProcessor({ bookFile: join(folder, 'book.jsonl') });
  const client = new MockClient(mock.url);
  const bench = new StripeBench();
  const processor = bench.processorAt(mock.url);

  return {
    client,
    processor,
    async stepOn(step, paymentMethod = 'pm_card_visa') {
      const isRefund = step.renderingVersion === REFUND.renderingVersion;
      const processorKey = systemRandom.uuid();
      const charge = { ...(isRefund ? CHARGE : MANUAL), processorKey, paymentMethod };
      const made = await processor.charge(charge, TIMEOUT);
      if (made.kind !== 'succeeded' && made.kind !== 'authorized') throw new Error(made.kind);
      const targetId = made.processorId;
      return { ...step, processorKey: systemRandom.uuid(), chargeKey: processorKey, targetId };
    },
    async movementsOf({ targetId }) {
      const lines = await client.book();
      return lines
        .filter(({ id, parent }) => id === targetId || parent === targetId)
        .map(({ operation, amount }) => `${operation} ${amount}`);
    },
    async close() {
      await bench.close();
      await mock.close();
      await rm(folder, { recursive: true });
    },
  };
}

export type StepWorld = {
  client: MockClient;
  processor: Processor;
  /** This step, as a request of its own, on a payment that was made for it: charged for a refund, else held. */
  stepOn<Step extends StepRequest>(step: Step, paymentMethod?: string): Promise<Step>;
  /** What the mock's book says of that payment, in order. */
  movementsOf(step: StepRequest): Promise<string[]>;
  close(): Promise<void>;
};
