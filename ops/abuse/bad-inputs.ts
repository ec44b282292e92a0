import { ContractDocument } from './contract-document.js';
import { Dice } from './dice.js';
import { type Draft, bytesOf, targetOf } from './draft.js';
import { type Asked, faultOf } from './judge.js';
import { KnownThings } from './known-things.js';
import { Lane, type WireEnd } from './lane.js';
import { spoil } from './spoil.js';
import { type AbuseKeys, type Drafting, validDraft } from './valid-draft.js';

export type BadInputs = {
  url: string;
  keys: AbuseKeys;
  seed: number;
  count: number;
  /** Connections at once, each with several requests on their way. */
  lanes?: number;
  onProgress?: (sent: number) => void;
  signal?: AbortSignal;
};

export type BadInputsResult = {
  sent: number;
  statuses: Record<string, number>;
  findings: { says: string; request: string; answer: string }[];
};

/**
 * Sends requests that are right, nearly right and nothing like it, drawn from the document that the API itself
 * serves, about things that exist. Each answer must be one that the document declares for that route, a problem
 * in the one form, without a word of our inside or of the secrets that were put in; and there must be an answer.
 *
 * What was done by them is left to whoever compares the books afterwards.
 */
export async function runBadInputs(options: BadInputs): Promise<BadInputsResult> {
  const { url, keys, seed, count, lanes = LANES, onProgress, signal } = options;
  const document = await ContractDocument.read(url);
  const things = new KnownThings();
  const nowSeconds = () => Math.floor(Date.now() / 1_000);
  const run: Run = {
    url,
    on: { document, keys, things, nowSeconds },
    result: { sent: 0, statuses: {}, findings: [] },
  };
  let next = 0;
  const work = async () => {
    const tally = { done: 0 };
    let lane = await Lane.open(url);
    while (next < count && !signal?.aborted && run.result.findings.length < FINDINGS_MAX) {
      const drafts = Array.from({ length: Math.min(PIPELINED, count - next) }, () =>
        makeDraft(run.on, Dice.ofOne(seed, next++)),
      );
      if (!lane.isOpen) lane = await Lane.open(url);
      await sendAll(run, lane, drafts);
      tally.done += drafts.length;
      if (tally.done % 100 === 0) onProgress?.(run.result.sent);
    }
    lane.close();
  };
  await Promise.all(Array.from({ length: lanes }, work));
  onProgress?.(run.result.sent);
  return run.result;
}

const LANES = 8;
const PIPELINED = 4;
const FINDINGS_MAX = 100;
const SHOWN_MAX = 4_000;

type Run = { url: string; on: Drafting; result: BadInputsResult };

/** Right one time out of six, so that there is always something for the others to be about. */
function makeDraft(on: Drafting, dice: Dice): Draft {
  const operation = dice.weighted(
    on.document.operations.map((one) => [one.path === '/v1/payments' ? 4 : 1, one] as const),
  );
  const draft = validDraft(on, operation, dice);
  const wrongs = dice.weighted([
    [1, 0],
    [4, 1],
    [1, 2],
  ]);
  for (let left = wrongs; left > 0; left--) spoil(on, draft, dice);
  return draft;
}

/** All at once on one connection; what breaks HTTP goes on one of its own, since nothing can follow it. */
async function sendAll(run: Run, lane: Lane, drafts: Draft[]): Promise<void> {
  const whole = drafts.filter(({ broken }) => broken === null);
  const ends = await Promise.all(whole.map((draft) => lane.ask(bytesOf(draft))));
  for (const [at, end] of ends.entries()) {
    const draft = whole[at]!;
    // A refusal may close the connection, and leave those behind it unanswered: each is asked again alone.
    note(run, draft, end.kind === 'answer' ? end : await askAlone(run.url, draft));
  }
  for (const draft of drafts)
    if (draft.broken !== null) note(run, draft, await askAlone(run.url, draft));
}

async function askAlone(url: string, draft: Draft): Promise<WireEnd> {
  const lane = await Lane.open(url);
  const end = lane.ask(bytesOf(draft), { headOnly: isHead(draft) });
  // Nothing follows: whoever waits for more bytes than were sent shall not wait long.
  if (draft.broken !== null) lane.endOurHalf();
  const found = await end;
  lane.close();
  return found;
}

function note({ on, result }: Run, draft: Draft, end: WireEnd): void {
  result.sent += 1;
  const status = end.kind === 'answer' ? String(end.answer.status) : end.kind;
  result.statuses[status] = (result.statuses[status] ?? 0) + 1;
  const says =
    end.kind === 'answer'
      ? faultOf(on.document, askedOf(on, draft), end.answer)
      : faultOfEnd(draft, end);
  if (end.kind === 'answer') on.things.learn(draft, end.answer);
  if (says === null) return;
  const answer = end.kind === 'answer' ? end.answer.raw : '';
  const request = bytesOf(draft).toString('latin1');
  result.findings.push({ says, request: shown(request), answer: shown(answer) });
}

/** To what is no HTTP, hanging up is an answer. */
function faultOfEnd(draft: Draft, end: WireEnd): string | null {
  if (end.kind === 'hang') return 'no answer came';
  return draft.broken === null ? 'the connection ended without an answer' : null;
}

function askedOf({ document }: Drafting, draft: Draft): Asked {
  const request = bytesOf(draft).toString('latin1');
  const [, method = draft.method, target = ''] = /^(\S+) (\S+) /.exec(request) ?? [];
  const asked = isHead(draft) ? 'GET' : method;
  const operation =
    draft.broken === null ? document.find(asked, targetOf(draft)) : document.find(asked, target);
  return { operation, headOnly: isHead(draft), request, secrets: draft.secrets };
}

function isHead({ broken }: Draft): boolean {
  return broken !== null && broken.subarray(0, 5).toString('latin1') === 'HEAD ';
}

function shown(text: string): string {
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}… (${text.length} bytes)`;
}
