-- A server that this database has been served by: which cluster, and which of its timelines. A restore to an instant
-- and the promotion of a standby begin another one, and what was committed just before may be gone.
CREATE TABLE timelines (
  system_identifier bigint      NOT NULL,
  timeline          integer     NOT NULL,
  seen_at           timestamptz NOT NULL DEFAULT payonce_now(),
  -- The recovery that it began; NULL where none was needed: the first that was seen, or one of which somebody said
  -- that nothing is lost.
  since             timestamptz,
  CONSTRAINT timelines_pkey PRIMARY KEY (system_identifier, timeline)
);
