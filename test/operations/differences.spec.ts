import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '#testing/http.js';
import { type System, startSystem } from '#testing/system.js';

const WHY = { reason_code: 'fee_corrected', reason: 'The processor credits it next month.' };

describe('differences that a report shows, as people settle them', () => {
  let system: System;
  let ann: ApiClient;
  let ben: ApiClient;
  beforeAll(async () => {
    system = await startSystem();
    ann = await system.newOperator('Ann');
    ben = await system.newOperator('Ben');
  });
  afterAll(() => system.close());

  let made = 0;
  /** A break of somebody else's charge, or of the account that is given. */
  async function difference(kind = 'fee', accountId: string | null = null): Promise<string> {
    made += 1;
    const { rows } = await system.owner.query(
      `INSERT INTO breaks (account_id, processor_name, kind, reference, severity, amount, currency, first_seen,
                           last_seen, report_date)
       VALUES ($1, 'mock', $2, $3, 'info', 1, 'myr', payonce_now(), payonce_now(), '2026-01-31')
       RETURNING id`,
      [accountId, kind, `pi_${made}`],
    );
    return rows[0].id;
  }

  const act = (id: string, deed: string, client = ann, body: object = WHY) =>
    client.send('POST', `/v1/operations/breaks/${id}/${deed}`, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });

  const audited = async (id: string) => {
    const { json } = await ann.get('/v1/operations/audit?limit=100');
    return json.data
      .filter(({ target }: { target: string }) => target === `break:${id}`)
      .map(({ actor, action, before, after }: any) => [actor, action, before.status, after.status])
      .reverse();
  };

  it.each(['match', 'accept'])(
    '%s closes it, with its reason and an act in the audit log',
    async (deed) => {
      const id = await difference();
      const { status, json } = await act(id, deed);
      expect([status, json]).toMatchObject([
        200,
        { id, status: 'closed', closed_by: 'Ann', ...WHY },
      ]);
      expect(await audited(id)).toEqual([['Ann', `break.${deed}`, 'open', 'closed']]);
      const again = await act(id, deed, ben);
      expect([again.status, again.json.code]).toEqual([409, 'break_not_settleable']);
    },
  );

  it('writing one off takes two people', async () => {
    const id = await difference('missing_there');
    const early = await act(id, 'approve', ben);
    expect([early.status, early.json.code]).toEqual([409, 'break_not_settleable']);
    const asked = await act(id, 'write-off');
    expect([asked.status, asked.json]).toMatchObject([
      200,
      { status: 'open', write_off_asked_by: 'Ann', closed_at: null },
    ]);
    const alone = await act(id, 'approve');
    expect([alone.status, alone.json.code]).toEqual([403, 'second_person_required']);
    const approved = await act(id, 'approve', ben);
    expect([approved.status, approved.json]).toMatchObject([
      200,
      { status: 'closed', closed_by: 'Ben', write_off_asked_by: 'Ann' },
    ]);
    expect(await audited(id)).toEqual([
      ['Ann', 'break.write-off', 'open', 'open'],
      ['Ben', 'break.approve', 'open', 'closed'],
    ]);
  });

  it('what was closed, or is to be written off, can be opened again', async () => {
    const id = await difference();
    const untouched = await act(id, 'reopen');
    expect([untouched.status, untouched.json.code]).toEqual([409, 'break_not_settleable']);
    await act(id, 'write-off');
    expect((await act(id, 'reopen', ben)).json).toMatchObject({
      status: 'open',
      write_off_asked_by: null,
    });
    await act(id, 'accept');
    expect((await act(id, 'reopen', ben)).json).toMatchObject({
      status: 'open',
      closed_by: null,
      reason_code: null,
    });
  });

  it('one of money in suspense is settled by the acts that move the money', async () => {
    const { json } = await system.client.pay();
    const { rows } = await system.owner.query(
      `INSERT INTO breaks (account_id, payment_id, processor_name, kind, reference, severity, amount, currency,
                           first_seen, last_seen)
       VALUES ($1, $2, 'mock', 'late_success', 'pi_suspense', 'critical', 1, 'myr', payonce_now(), payonce_now())
       RETURNING id`,
      [system.account.id, json.id],
    );
    for (const deed of ['match', 'write-off', 'approve', 'reopen']) {
      const { status, json: problem } = await act(rows[0].id, deed);
      expect([deed, status, problem.code]).toEqual([deed, 409, 'break_not_settleable']);
    }
  });

  it('one of the other mode is not there', async () => {
    const id = await difference('fee', system.account.id);
    const live = await system.newOperator('Ann', 'live');
    for (const deed of ['match', 'accept', 'write-off', 'approve', 'reopen']) {
      expect([deed, (await act(id, deed, live)).status]).toEqual([deed, 404]);
    }
  });
});
