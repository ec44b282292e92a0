import type { Processor } from '#processor/processor.js';
import type { WinnerColumns } from './claim.sql.js';
import type { Registration, Terms } from './deps.js';
import type { Accepted, Intent } from './intent.js';
import type { Lease } from './lease.js';
import { keepsKeys } from './lease-arithmetic.js';
import type { Payment, PaymentOrder } from './payment.js';

type LeaseDeps = { processor: Processor; terms: Terms; instance: Registration };

/** What the claim statement returned of our own rows. */
export type OwnClaim = {
  claimed_payment_id: string;
  claimed_operation_id: string;
  claimed_at_now: Date;
};

/** The parameters of CLAIM, in its order. */
export function claimValues(
  { processor, terms, instance }: LeaseDeps,
  intent: Intent,
  { order, processorAccount }: Accepted,
  token: string,
): unknown[] {
  return [
    intent.account.id,
    intent.keyHash,
    intent.operation,
    intent.fingerprint,
    intent.fingerprintVersion,
    terms.leaseMs,
    token,
    intent.requestId,
    terms.answersDays,
    order.amount,
    order.currency,
    order.paymentMethod,
    order.orderId,
    order.description,
    JSON.stringify(order.metadata),
    order.capture,
    processor.name,
    intent.account.orderOnce,
    processorAccount,
    intent.processorKey,
    processor.apiVersion,
    renderingVersion(processor, order),
    sendWindowMs(terms),
    instance.id,
    intent.queue,
  ];
}

function renderingVersion({ renderingVersions }: Processor, { capture }: PaymentOrder): number {
  return capture === 'manual' ? renderingVersions.hold : renderingVersions.charge;
}

/**
 * Half the processor's key window: after it a key might be forgotten there, and a re-send would charge anew.
 * Nothing where no keys are kept: whoever comes after the first send only looks up.
 */
export function sendWindowMs({ processorKeyWindowMs }: Terms): number {
  return Math.floor(processorKeyWindowMs / 2);
}

/**
 * Until when a run may send, from the limit that stands in the row. Where no keys are kept the row lets no
 * taker send, and the run that opened the first attempt may as long as its lease is its own. From then on a
 * look-up that is not answered calls a person.
 */
export function runMaySendUntilMs(terms: Terms, sendUntilMs: number): number {
  return keepsKeys(terms) ? sendUntilMs : sendUntilMs + terms.leaseMs;
}

/** What is so of every claim that was just made: it sends for the first time, and recovery knows nothing of it. */
export const FIRST_RUN = {
  knownAs: null,
  action: 'send',
  givenUp: false,
  attemptNo: 1,
  unknownBefore: false,
  storedErrorAtMs: null,
  waits: 0,
  tries: 0,
  inReview: false,
  queued: false,
  byReader: false,
} as const;

/** The lease of a claim that was just made. `monotonicMs` was read before the statement was sent. */
export function newLease(
  { processor, terms }: LeaseDeps,
  intent: Intent,
  { order, processorAccount }: Accepted,
  token: string,
  claim: OwnClaim,
  monotonicMs: number,
): Lease {
  const claimedAtMs = claim.claimed_at_now.getTime();
  return {
    accountId: intent.account.id,
    keyHash: intent.keyHash,
    token,
    operationId: claim.claimed_operation_id,
    operation: { kind: 'charge' },
    payment: pendingPayment(intent.account.id, order, processor.name, claim),
    refund: null,
    ...FIRST_RUN,
    claimRequestId: intent.requestId,
    requestId: intent.requestId,
    sendUntilMs: runMaySendUntilMs(terms, claimedAtMs + sendWindowMs(terms)),
    patience: intent.patience ?? null,
    processor: {
      name: processor.name,
      account: processorAccount,
      key: intent.processorKey,
      apiVersion: processor.apiVersion,
      renderingVersion: renderingVersion(processor, order),
    },
    readAt: { databaseMs: claimedAtMs, monotonicMs },
  };
}

/** The lease of a claim whose acknowledgement was lost, recognised by its own token. */
export function ownLease(
  deps: LeaseDeps,
  intent: Intent,
  accepted: Accepted,
  winner: WinnerColumns,
  monotonicMs: number,
): Lease {
  const claim: OwnClaim = {
    claimed_payment_id: winner.payment_id ?? '',
    claimed_operation_id: winner.operation_id ?? '',
    claimed_at_now: winner.claimed_at,
  };
  const lease = newLease(deps, intent, accepted, winner.lease_token, claim, monotonicMs);
  return { ...lease, readAt: { databaseMs: winner.now.getTime(), monotonicMs } };
}

function pendingPayment(
  accountId: string,
  order: PaymentOrder,
  processorName: string,
  claim: OwnClaim,
): Payment {
  return {
    ...order,
    id: claim.claimed_payment_id,
    accountId,
    status: 'pending',
    amountCaptured: 0,
    amountRefunded: 0,
    amountDisputed: 0,
    failure: null,
    processorName,
    processorId: null,
    createdAt: claim.claimed_at_now,
    settledAt: null,
  };
}
