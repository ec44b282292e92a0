import { systemClock } from '#seams/clock.js';
import { stripeProcessor } from '#processor/stripe-processor.js';
import { CHARGE } from './stripe-answers.js';

/** A process that charges once and prints the outcome; the specs of the failpoints start and lose it. */
const [apiBase = '', timeoutMs = '5000'] = process.argv.slice(-2);
const secretKey = 'sk_test_payonce';
const processor = stripeProcessor({ name: 'mock', secretKey, apiBase, clock: systemClock });
const from = performance.now();
try {
  const outcome = await processor.charge(CHARGE, { timeoutMs: Number(timeoutMs) });
  process.stdout.write(JSON.stringify({ ...outcome, elapsedMs: performance.now() - from }));
} catch (error) {
  process.stdout.write(JSON.stringify({ kind: 'crashed', message: String(error) }));
} finally {
  await processor.close();
}
