-- Which process holds a lease: the number of the advisory lock that its session keeps for as long as it
-- lives. NULL where older code took the lease; nobody is ever presumed dead by that.
ALTER TABLE idempotency_keys ADD COLUMN owner integer;
