import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyedRequest } from '#payments/intent.js';
import type { Reply } from '#payments/reply.js';
import { type Work, workWithin } from '#payments/work-within.js';
import type { AccountLimits } from '#platform/account-limits.js';
import { callerOf } from '#platform/auth.guard.js';
import type { Core } from '#platform/core.js';
import { sendReply } from '#platform/send-reply.js';
import { failpoint } from '#seams/failpoints.js';
import { type Preference, appliedPreference } from './read-prefer.js';

export type Full = ReturnType<AccountLimits['enter']>['full'];

/** What differs between the routes that move money: how the request is read, and what is then done. */
export type Keyed<Asked extends KeyedRequest> = {
  preference: Preference;
  /** Throws a problem that can be told without looking at the key. `full` goes into the verdict. */
  read: (full: Full) => Asked | Promise<Asked>;
  run: (asked: Asked) => Promise<Reply>;
};

/** Answers a request that moves money: counted against its account's limits, read, worked on, answered. */
export async function answerKeyed<Asked extends KeyedRequest>(
  { core, limits }: { core: Core; limits: AccountLimits },
  request: FastifyRequest,
  response: FastifyReply,
  keyed: Keyed<Asked>,
): Promise<void> {
  await failpoint('c1');
  const { full, leave } = limits.enter(callerOf(request).accountId);
  let work: Promise<unknown> = Promise.resolve();
  try {
    const asked = await keyed.read(full);
    if (hasGone(request)) return leaveUnclaimed(core, request, response);
    const begun = begin(core, asked, keyed);
    ({ work } = begun);
    core.deps.background.add(work); // also when its caller hangs up from now on
    const reply = await begun.reply;
    const applied = appliedPreference(keyed.preference, reply.status);
    if (applied !== null) response.header('preference-applied', applied);
    await sendReply(request, response, reply);
  } finally {
    // In flight until its work ends, which may outlive the answer: else `wait=0` would know no limit.
    void work.then(leave, leave);
  }
}

/** A caller who closed its side is answered no more: Node ends the connection then. */
function hasGone({ raw }: FastifyRequest): boolean {
  return !raw.socket.writable;
}

/** Nobody can hear the answer, and nothing was begun: nothing is. @keeps P9 */
function leaveUnclaimed({ log }: Core, request: FastifyRequest, response: FastifyReply): void {
  log.info('caller_gone', { request_id: request.id });
  response.hijack();
}

function begin<Asked extends KeyedRequest>(
  { deps }: Core,
  asked: Asked,
  { preference: { respondAsync, waitSeconds }, run }: Keyed<Asked>,
): Work {
  if (!respondAsync && waitSeconds !== null) {
    const { requestId } = asked;
    const waitMs = waitSeconds * 1_000;
    return workWithin(deps, { waitMs, requestId }, (patience) => run({ ...asked, patience }));
  }
  const work = run(asked);
  return { work, reply: work };
}
