import { AccountRow } from '#accounts/account.entity.js';
import { ApiKeyRow } from '#accounts/api-key.entity.js';
import { OutboxEventRow } from '#events/outbox-event.entity.js';
import { WebhookCursorRow } from '#events/webhook-cursor.entity.js';
import { WebhookInboxRow } from '#events/webhook-inbox.entity.js';
import { IdempotencyKeyRow } from '#idempotency/idempotency-key.entity.js';
import { SavedAnswerRow } from '#idempotency/saved-answer.entity.js';
import { SettingRow } from '#idempotency/setting.entity.js';
import { LedgerChainRow } from '#ledger/ledger-chain.entity.js';
import { LedgerCheckpointRow } from '#ledger/ledger-checkpoint.entity.js';
import { LedgerEntryRow } from '#ledger/ledger-entry.entity.js';
import { LedgerShardRow } from '#ledger/ledger-shard.entity.js';
import { LedgerSnapshotRow } from '#ledger/ledger-snapshot.entity.js';
import { AuditLogRow } from '#operations/audit-log.entity.js';
import { AttemptRow } from '#payments/attempt.entity.js';
import { AuthorizationRow } from '#payments/authorization.entity.js';
import { BreakRow } from '#payments/break.entity.js';
import { DisputeRow } from '#payments/dispute.entity.js';
import { ImportedOperationRow } from '#payments/imported-operation.entity.js';
import { OperationRow } from '#payments/operation.entity.js';
import { OrderSlotRow } from '#payments/order-slot.entity.js';
import { PaymentRow } from '#payments/payment.entity.js';
import { PaymentStepRow } from '#payments/payment-step.entity.js';
import { RecoveryRow } from '#payments/recovery.entity.js';
import { RefundRow } from '#payments/refund.entity.js';
import { SweepMarkRow } from '#payments/sweep-mark.entity.js';
import { TimelineRow } from '#payments/timeline.entity.js';
import { UnresolvedRow } from '#payments/unresolved.entity.js';
import { ReportFindingRow } from '#reconciliation/report-finding.entity.js';
import { ReportImportRow } from '#reconciliation/report-import.entity.js';
import { ReportLineRow } from '#reconciliation/report-line.entity.js';

/** Every table of the schema. They refer to each other by name, so they are only complete together. */
export const ENTITIES = [
  AccountRow,
  ApiKeyRow,
  AttemptRow,
  AuditLogRow,
  AuthorizationRow,
  BreakRow,
  DisputeRow,
  IdempotencyKeyRow,
  ImportedOperationRow,
  LedgerChainRow,
  LedgerCheckpointRow,
  LedgerEntryRow,
  LedgerShardRow,
  LedgerSnapshotRow,
  OperationRow,
  OrderSlotRow,
  OutboxEventRow,
  PaymentRow,
  PaymentStepRow,
  RecoveryRow,
  RefundRow,
  ReportFindingRow,
  ReportImportRow,
  ReportLineRow,
  SavedAnswerRow,
  SettingRow,
  SweepMarkRow,
  TimelineRow,
  UnresolvedRow,
  WebhookCursorRow,
  WebhookInboxRow,
];
