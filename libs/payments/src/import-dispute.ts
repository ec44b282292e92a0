import { applyEvent } from './apply-event.js';
import type { Deps } from './deps.js';
import { type ImportEnd, orRefused } from './import-end.js';

export type { ImportEnd };

/** A dispute comes from the bank and has no operation of ours: it is recorded as news of it would be. */
export function importDispute(
  deps: Deps,
  processorId: string,
  requestId: string,
): Promise<ImportEnd> {
  return orRefused(deps, { processor_id: processorId }, async () => {
    const nudge = { type: 'charge.dispute.updated', object_id: processorId };
    const verdict = await applyEvent(
      deps,
      { ...nudge, event_id: processorId, payload: '{}', waits: 0, age_ms: 0 },
      requestId,
    );
    switch (verdict.kind) {
      case 'applied':
        return verdict.reason === 'as recorded' ? 'known' : 'imported';
      case 'ignored':
        return 'not_ours';
      case 'held':
        return 'refused';
      case 'wait': // its event comes again, and finds more
        deps.log.warning('import_waits', { processor_id: processorId, reason: verdict.reason });
        return 'settled';
    }
  });
}
