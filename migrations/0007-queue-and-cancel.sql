-- Queued work: its caller has gone, so a worker sends it, and what was not sent is queued again.
ALTER TABLE operations ADD COLUMN queued boolean NOT NULL DEFAULT false;

-- A tombstone: a key that was canceled before its request came. It belongs to no payment.
ALTER TABLE idempotency_keys ALTER COLUMN payment_id DROP NOT NULL;
ALTER TABLE idempotency_keys ALTER COLUMN operation_id DROP NOT NULL;
ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_only_tombstones_are_bare
  CHECK (payment_id IS NOT NULL OR state = 'canceled') NOT VALID;
ALTER TABLE idempotency_keys VALIDATE CONSTRAINT idempotency_keys_only_tombstones_are_bare;
