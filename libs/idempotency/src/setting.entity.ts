import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** Maps the `settings` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'settings' })
@Check('settings_answers_days', 'answers_days >= 7')
@Check('settings_only_row', 'only_row')
export class SettingRow {
  @PrimaryColumn({
    name: 'only_row',
    type: 'boolean',
    default: true,
    primaryKeyConstraintName: 'settings_pkey',
  })
  onlyRow: boolean;

  @Column({ name: 'answers_days', type: 'smallint' })
  answersDays: number;
}
