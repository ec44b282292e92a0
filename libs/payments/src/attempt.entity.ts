import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** Maps the `attempts` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'attempts' })
@Check('attempts_action', `action = ANY (ARRAY['send'::text, 'look_up'::text])`)
@Check('attempts_actor', `actor = ANY (ARRAY['request'::text, 'worker'::text, 'operator'::text])`)
@Check('attempts_closed_has_outcome', '(outcome IS NULL) = (closed_at IS NULL)')
@Check('attempts_detail_length', 'char_length(detail) <= 500')
@Check(
  'attempts_outcome',
  `outcome = ANY (ARRAY['succeeded'::text, 'authorized'::text, 'accepted'::text, 'declined'::text, 'not_sent'::text, 'unknown'::text, 'not_charged'::text])`,
)
@Check('attempts_request_id_length', 'char_length(request_id) <= 100')
@ForeignKey('OperationRow', ['accountId', 'operationId'], ['accountId', 'id'], {
  name: 'attempts_operation',
})
export class AttemptRow {
  @PrimaryColumn({ name: 'account_id', type: 'uuid', primaryKeyConstraintName: 'attempts_pkey' })
  accountId: string;

  @PrimaryColumn({ name: 'operation_id', type: 'uuid', primaryKeyConstraintName: 'attempts_pkey' })
  operationId: string;

  @PrimaryColumn({ name: 'attempt_no', type: 'integer', primaryKeyConstraintName: 'attempts_pkey' })
  attemptNo: number;

  @Column({ name: 'action', type: 'text' })
  action: string;

  @Column({ name: 'actor', type: 'text' })
  actor: string;

  @Column({ name: 'request_id', type: 'text' })
  requestId: string;

  @Column({ name: 'opened_at', type: 'timestamptz' })
  openedAt: Date;

  @Column({ name: 'outcome', type: 'text', nullable: true })
  outcome: string | null;

  @Column({ name: 'detail', type: 'text', nullable: true })
  detail: string | null;

  @Column({ name: 'closed_at', type: 'timestamptz', nullable: true })
  closedAt: Date | null;
}
