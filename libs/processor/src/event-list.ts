import { readProcessorError } from './processor-error.js';
import { readBody } from './reading.js';
import { type ProcessorEvent, readProcessorEvent } from './processor-event.js';
import type { Exchange } from './send-once.js';

/** Where to read the processor's list of events. */
export type EventPosition =
  | { kind: 'after'; eventId: string } // what happened next, oldest first
  | { kind: 'since'; createdSeconds: number; before: string | null }; // the newest first, back to an instant

export type EventPage =
  | { kind: 'page'; events: ProcessorEvent[]; unreadable: number; more: boolean }
  | { kind: 'unknown_event' } // the processor no longer knows the event to go on from
  | { kind: 'failed'; detail: string };

/** What an answer to "what has happened?" holds. Like any other body it is read, and not trusted. */
export function eventsIn(exchange: Exchange, position: EventPosition): EventPage {
  if (exchange.kind === 'failed') return { kind: 'failed', detail: exchange.failure };
  const body = readBody(exchange.body) ?? {};
  if (exchange.status !== 200) {
    const error = readProcessorError(body['error']);
    const isGone = error?.code === 'resource_missing' && [400, 404].includes(exchange.status);
    if (isGone) return { kind: 'unknown_event' };
    return { kind: 'failed', detail: `answered ${exchange.status}` };
  }
  const { object, data, has_more } = body;
  if (object !== 'list' || !Array.isArray(data) || typeof has_more !== 'boolean') {
    return { kind: 'failed', detail: 'the answer holds no list' };
  }
  const read = data.map((value) => readProcessorEvent(value));
  const events = read.filter((event) => event !== null);
  if (events.length === 0 && read.length > 0) {
    return { kind: 'failed', detail: 'no event of the list can be read' };
  }
  if (position.kind === 'after') events.reverse();
  return { kind: 'page', events, unreadable: read.length - events.length, more: has_more };
}
