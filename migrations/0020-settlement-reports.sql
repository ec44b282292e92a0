-- A settlement report as it was imported: one file of one processor for one day. All or nothing: it is there with all
-- its lines, or not at all. The same file twice is one row; a corrected file supersedes the one before it.
CREATE TABLE report_imports (
  id             uuid        NOT NULL,
  processor_name text        NOT NULL,
  -- The UTC day that it is about.
  report_date    date        NOT NULL,
  file_sha256    text        NOT NULL CONSTRAINT report_imports_file_sha256 CHECK (file_sha256 ~ '^[0-9a-f]{64}$'),
  -- Where it came from: an address, or a file's name.
  source         text        NOT NULL,
  -- Without the header; those that could not be read count.
  lines          integer     NOT NULL,
  bad_lines      integer     NOT NULL,
  -- Sums in minor units, by currency.
  totals         json        NOT NULL,
  -- When it was asked for: what happened here later cannot stand in it.
  read_at        timestamptz NOT NULL,
  imported_at    timestamptz NOT NULL DEFAULT payonce_now(),
  -- Another file of the same day is the one to believe now.
  superseded_at  timestamptz,
  CONSTRAINT report_imports_pkey PRIMARY KEY (id),
  CONSTRAINT report_imports_once UNIQUE (processor_name, report_date, file_sha256)
);

CREATE UNIQUE INDEX report_imports_current ON report_imports (processor_name, report_date)
  WHERE superseded_at IS NULL;

-- A line of a report, as it stood in the file and as it was read. No foreign key to its import: checking one for each
-- of a million lines would take longer than reading them, and both are written in one transaction.
CREATE TABLE report_lines (
  import_id      uuid        NOT NULL,
  -- As an editor numbers them: the header is the first.
  line           integer     NOT NULL,
  raw            text        NOT NULL,
  -- Why it could not be read; the rest is NULL then.
  bad_reason     text,
  transaction_id text,
  created_at     timestamptz,
  currency       text,
  -- Minor units.
  gross          bigint,
  fee            bigint,
  category       text,
  source_id      text,
  -- The processor's payment; NULL for what belongs to none.
  payment_ref    text,
  payout_id      text,
  -- Our own references, where the line carries them.
  account_ref    uuid,
  intent_ref     uuid,
  CONSTRAINT report_lines_pkey PRIMARY KEY (import_id, line)
);

-- What the last comparison of a report found; the breaks follow from it.
CREATE TABLE report_findings (
  import_id  uuid NOT NULL,
  kind       text NOT NULL,
  reference  text NOT NULL,
  account_id uuid,
  payment_id uuid,
  -- What it is about, in minor units.
  amount     bigint,
  currency   text,
  ours       json,
  theirs     json,
  CONSTRAINT report_findings_pkey PRIMARY KEY (import_id, kind, reference)
);

-- The day of the report that the break was last seen in; NULL for those that record steps open.
ALTER TABLE breaks ADD COLUMN report_date date;
-- Who asked that it be written off: it is only done when a second person approves.
ALTER TABLE breaks ADD COLUMN write_off_asked_by text
  CONSTRAINT breaks_write_off_asked_by_length CHECK (char_length(write_off_asked_by) <= 255);
CREATE INDEX breaks_by_report ON breaks (processor_name, report_date) WHERE report_date IS NOT NULL;
