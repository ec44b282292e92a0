-- How far the check of the invariants has come: the newest claims that it has seen, and where its slow walk through
-- the past is, which starts over at the end.
INSERT INTO sweep_marks (name, mark) VALUES
  ('invariants_newest', '00000000-0000-0000-0000-000000000000'),
  ('invariants_past', '00000000-0000-0000-0000-000000000000');
