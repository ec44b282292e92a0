import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** Maps the `audit_log` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'audit_log' })
@Check('audit_log_action_length', '(char_length(action) >= 1) AND (char_length(action) <= 100)')
@Check('audit_log_actor_length', '(char_length(actor) >= 1) AND (char_length(actor) <= 100)')
@Check('audit_log_mode', `mode = ANY (ARRAY['test'::text, 'live'::text])`)
@Check('audit_log_reason_length', '(char_length(reason) >= 1) AND (char_length(reason) <= 1000)')
@Check('audit_log_target_length', '(char_length(target) >= 1) AND (char_length(target) <= 300)')
export class AuditLogRow {
  @PrimaryColumn({
    name: 'id',
    type: 'uuid',
    default: () => 'payonce_uuid_v7()',
    primaryKeyConstraintName: 'audit_log_pkey',
  })
  id: string;

  @Column({ name: 'at', type: 'timestamptz', default: () => 'payonce_now()' })
  at: Date;

  @Column({ name: 'mode', type: 'text' })
  mode: string;

  @Column({ name: 'actor', type: 'text' })
  actor: string;

  @Column({ name: 'action', type: 'text' })
  action: string;

  @Column({ name: 'target', type: 'text' })
  target: string;

  @Column({ name: 'reason', type: 'text' })
  reason: string;

  @Column({ name: 'before', type: 'json' })
  before: object;

  @Column({ name: 'after', type: 'json' })
  after: object;
}
