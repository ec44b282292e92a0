import type { EventPage } from '#processor/event-list.js';
import type { ListPage } from '#processor/object-list.js';
import { readRequestKey } from '#processor/processor-event.js';
import type { Deps } from './deps.js';
import { type ImportEnd, importDispute } from './import-dispute.js';
import { importPayment, importPaymentById } from './import-payment.js';
import { importRefund, importRefundById } from './import-refund.js';
import type { StepKeys } from './import-step.js';
import { LEAVE_RECOVERY, OPEN_RECOVERY, TAKE_RECOVERY } from './recovery.sql.js';

/** Objects that are worked on at once. */
const AT_ONCE = 8;
/** Of whoever died while importing, another takes over after so long. Moved on with each page. */
const IMPORTER_MS = 60_000;
/** Two clocks may differ by so much: what is seen twice changes nothing. */
const CLOCKS_DIFFER_SECONDS = 60;

export type ImportPass = {
  since: Date;
  /** Payments, refunds, disputes and what was done to them, by what became of each. */
  ended: Partial<Record<ImportEnd, number>>;
  /** All was read and imported: claims and sends go on. */
  opened: boolean;
};

/**
 * Imports what the processor made since this database was set back, and then opens the service. Null: there is
 * nothing to recover, it is too early, or somebody else imports.
 *
 * Everything goes through the record steps, in this order: payments with what was captured and voided of them,
 * refunds, disputes. So a second run, one beside this, or one after half of it, finds what is there and goes on.
 *
 * @keeps P1: it opens only after a pass that read all lists to their end, while nothing could be sent.
 * @keeps P2
 */
export async function importSince(
  deps: Deps,
  importer: string,
  requestId: string,
): Promise<ImportPass | null> {
  const [recovery] = await take(deps, importer);
  if (!recovery) return null;
  const { since } = recovery;
  const pass: Pass = { deps, importer, since, requestId, ended: {} };
  const isWhole = await importAll(pass);
  const { ended } = pass;
  if (!isWhole || (ended.again ?? 0) > 0) {
    await deps.db.run(LEAVE_RECOVERY, [since, importer]);
    return { since, ended, opened: false };
  }
  const [opened] = await deps.db.run(OPEN_RECOVERY, [since]);
  return { since, ended, opened: opened !== undefined };
}

type Pass = {
  deps: Deps;
  importer: string;
  since: Date;
  requestId: string;
  ended: ImportPass['ended'];
};

function take({ db, terms }: Deps, importer: string) {
  return db.run(TAKE_RECOVERY, [importer, IMPORTER_MS, terms.visibilityWindowMs]);
}

async function importAll(pass: Pass): Promise<boolean> {
  const { deps, requestId } = pass;
  const { processor } = deps;
  const told = await readEvents(pass);
  if (told === null) return false;
  const options = { timeoutMs: deps.terms.processorTimeoutMs };
  const at = { createdSeconds: sinceSeconds(pass) };
  return (
    (await walk(
      pass,
      (after) => processor.listPayments({ ...at, after }, options),
      (payment) => importPayment(deps, payment, told.steps, requestId),
      told.payments,
    )) &&
    // Made before that instant, and moved since.
    (await each(pass, [...told.payments], (id) =>
      importPaymentById(deps, id, told.steps, requestId),
    )) &&
    (await walk(
      pass,
      (after) => processor.listRefunds({ ...at, after }, options),
      (refund) => importRefund(deps, refund, requestId),
      told.refunds,
    )) &&
    (await each(pass, [...told.refunds], (id) => importRefundById(deps, id, requestId))) &&
    (await walk(
      pass,
      (after) => processor.listDisputes({ ...at, after }, options),
      ({ processorId }) => importDispute(deps, processorId, requestId),
      told.disputes,
    )) &&
    (await each(pass, [...told.disputes], (id) => importDispute(deps, id, requestId)))
  );
}

function sinceSeconds({ since }: Pass): number {
  return Math.floor(since.getTime() / 1_000) - CLOCKS_DIFFER_SECONDS;
}

/** What events since then are about, and the keys that captures and voids were sent under: only events tell those. */
type Told = {
  payments: Set<string>;
  refunds: Set<string>;
  disputes: Set<string>;
  steps: Map<string, StepKeys>;
};

async function readEvents(pass: Pass): Promise<Told | null> {
  const { processor, terms } = pass.deps;
  const told: Told = {
    payments: new Set(),
    refunds: new Set(),
    disputes: new Set(),
    steps: new Map(),
  };
  const createdSeconds = sinceSeconds(pass);
  for (let before: string | null = null; ;) {
    const page: EventPage = await processor.listEvents(
      { kind: 'since', createdSeconds, before },
      { timeoutMs: terms.processorTimeoutMs },
    );
    if (page.kind !== 'page') return failed(pass, page.kind === 'failed' ? page.detail : page.kind);
    for (const event of page.events) note(told, event);
    before = page.events.at(-1)?.id ?? null;
    if (!page.more || before === null) return told;
    await take(pass.deps, pass.importer);
  }
}

function note(
  told: Told,
  { type, objectId, payload }: { type: string; objectId: string | null; payload: string },
): void {
  if (objectId === null) return;
  if (type.startsWith('payment_intent.')) {
    told.payments.add(objectId);
    const step = STEP_TOLD_BY.get(type);
    const key = step === undefined ? null : readRequestKey(JSON.parse(payload));
    if (step === undefined || key === null) return;
    told.steps.set(objectId, { ...told.steps.get(objectId), [step]: key });
  } else if (objectId.startsWith('re_') || objectId.startsWith('pyr_')) {
    told.refunds.add(objectId);
  } else if (type.startsWith('charge.dispute.')) {
    told.disputes.add(objectId);
  }
}

/** Of a payment that was only held before, success is its capture. */
const STEP_TOLD_BY: ReadonlyMap<string, keyof StepKeys> = new Map([
  ['payment_intent.succeeded', 'capture'],
  ['payment_intent.canceled', 'void'],
] as const);

/** A list to its end. What it names is taken out of what is left to be read one by one. */
async function walk<Item extends { processorId: string }>(
  pass: Pass,
  list: (after: string | null) => Promise<ListPage<Item>>,
  work: (item: Item) => Promise<ImportEnd>,
  left: Set<string>,
): Promise<boolean> {
  for (let after: string | null = null; ;) {
    const page: ListPage<Item> = await list(after);
    if (page.kind === 'failed') return failed(pass, page.detail) !== null;
    for (const { processorId } of page.items) left.delete(processorId);
    for (const id of page.unreadable) {
      pass.deps.log.critical('import_unreadable', { processor_id: id });
    }
    count(pass, 'refused', page.unreadable.length);
    if (!(await each(pass, page.items, work))) return false;
    after = page.after;
    if (after === null) return true;
  }
}

/** A few at once. False: somebody else imports now. */
async function each<Item>(
  pass: Pass,
  items: readonly Item[],
  work: (item: Item) => Promise<ImportEnd>,
): Promise<boolean> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const ends = await Promise.all(items.slice(from, from + AT_ONCE).map(work));
    for (const end of ends) count(pass, end, 1);
  }
  return items.length === 0 || (await take(pass.deps, pass.importer)).length > 0;
}

function count({ ended }: Pass, end: ImportEnd, items: number): void {
  if (items > 0) ended[end] = (ended[end] ?? 0) + items;
}

function failed({ deps }: Pass, detail: string): null {
  deps.log.warning('import_not_listed', { detail });
  return null;
}
