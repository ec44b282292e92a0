-- The rows of this folder were written until this instant: the clock of a test that loads them starts here.
UPDATE test_clock SET advance = timestamptz '2026-01-15 10:01:35.358708+00' - statement_timestamp();
INSERT INTO accounts (
  id, name, mode, order_once, created_at
) VALUES (
  '01a234dc-41fe-7782-8e35-7a9d412db9a6', 'first', 'test', NULL, '2026-12-02 03:46:19.774184+00'
);
UPDATE sweep_marks SET mark = '00000000-0000-0000-0000-000000000000' WHERE name = 'leases_daily';
UPDATE sweep_marks SET mark = '019bc119-3fcd-7d30-a9c1-0faa64e4df46' WHERE name = 'leases';
