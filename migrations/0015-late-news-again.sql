-- Older code held news of money that came late, or beside the charge that paid, for want of a step that could
-- record it. There is one now: such events are applied again. Older code that still runs may hold one anew, as an
-- operator sees; replaying it does the same as this.
UPDATE webhook_inbox
   SET state = 'received', reason = NULL, tries = 0, waits = 0, next_try_at = payonce_now()
 WHERE state = 'held' AND reason IN ('late_success', 'second_charge');
