-- Since when a worker has an event in its hands; NULL while none has. A replay leaves such a row alone. (Code that is
-- older than this file notes nothing: then two may work on one event, which comes to the same.)
ALTER TABLE webhook_inbox ADD COLUMN taken_at timestamptz;
