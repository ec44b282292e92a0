import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Maps the `saved_answers` table for reads and for the drift check. Never used to write. */
@Entity({ name: 'saved_answers' })
export class SavedAnswerRow {
  @PrimaryColumn({
    name: 'answer_day',
    type: 'date',
    primaryKeyConstraintName: 'saved_answers_pkey',
  })
  answerDay: string;

  @PrimaryColumn({
    name: 'account_id',
    type: 'uuid',
    primaryKeyConstraintName: 'saved_answers_pkey',
  })
  accountId: string;

  @PrimaryColumn({
    name: 'key_hash',
    type: 'bytea',
    primaryKeyConstraintName: 'saved_answers_pkey',
  })
  keyHash: Buffer;

  @Column({ name: 'status', type: 'smallint' })
  status: number;

  @Column({ name: 'content_type', type: 'text' })
  contentType: string;

  @Column({ name: 'location', type: 'text', nullable: true })
  location: string | null;

  @Column({ name: 'body', type: 'bytea' })
  body: Buffer;
}
