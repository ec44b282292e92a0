-- Time, randomness and identifiers come from these three functions and from nowhere else in SQL, column
-- defaults included. A test database replaces the first two; production never does.

-- The database's clock is the only clock for leases, expiry and days.
CREATE FUNCTION payonce_now() RETURNS timestamptz
  LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT statement_timestamp() $$;

CREATE FUNCTION payonce_random_uuid() RETURNS uuid
  LANGUAGE sql VOLATILE PARALLEL SAFE
  AS $$ SELECT gen_random_uuid() $$;

-- UUID version 7 (RFC 9562): 48 bits of milliseconds, then randomness. Our own, since PostgreSQL 15 to 17
-- have none. It keeps the variant bits of the version 4 value under it and turns version 4 into 7.
CREATE FUNCTION payonce_uuid_v7() RETURNS uuid
  LANGUAGE sql VOLATILE PARALLEL SAFE
  AS $$
    SELECT encode(
      set_bit(
        set_bit(
          overlay(uuid_send(payonce_random_uuid())
            PLACING substring(int8send(floor(extract(epoch FROM payonce_now()) * 1000)::bigint) FROM 3)
            FROM 1 FOR 6),
          52, 1),
        53, 1),
      'hex')::uuid
  $$;

-- The smallest version 7 identifier of an instant: the lower edge for scans over time-ordered ids.
CREATE FUNCTION payonce_uuid_v7_floor(at timestamptz) RETURNS uuid
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT encode(
      substring(int8send(floor(extract(epoch FROM at) * 1000)::bigint) FROM 3) || '\x70008000000000000000'::bytea,
      'hex')::uuid
  $$;

-- Refuses the statement it stands in. For what SQL can see but not forbid: a record step that would
-- change one half only.
CREATE FUNCTION payonce_refuse(rule text) RETURNS boolean
  LANGUAGE plpgsql VOLATILE
  AS $$ BEGIN RAISE EXCEPTION 'refused: %', rule USING ERRCODE = 'P0001', CONSTRAINT = rule; END $$;

-- One row: settings that are a contract with callers, and on which every process must agree.
CREATE TABLE settings (
  only_row     boolean  NOT NULL DEFAULT true CONSTRAINT settings_only_row CHECK (only_row),
  answers_days smallint NOT NULL CONSTRAINT settings_answers_days CHECK (answers_days >= 7),
  CONSTRAINT settings_pkey PRIMARY KEY (only_row)
);
