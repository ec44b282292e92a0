import type pg from 'pg';

/**
 * The schema as the server sees it, one fact a line: also what neither entities nor a drift check can see
 * (definitions of checks, triggers, functions, owners, rights, storage). Partitions are left out: their
 * days come and go.
 */
export async function catalogOf(owner: pg.Client): Promise<string> {
  const { rows } = await owner.query<{ chapter: string; fact: string }>(CATALOG);
  const lines: string[] = [];
  let last = '';
  for (const { chapter, fact } of rows) {
    if (chapter !== last) lines.push(...(last === '' ? [] : ['']), `# ${chapter}`);
    last = chapter;
    lines.push(fact.replaceAll(/\s*\n\s*/g, ' '));
  }
  return `${lines.join('\n')}\n`;
}

/** The owner is written as such, since its name differs between databases. */
const CATALOG = `
  WITH ours AS (
    SELECT c.oid, c.relname, c.relkind, c.reloptions, c.relacl, c.relpersistence,
           CASE WHEN pg_get_userbyid(relowner) = current_user THEN 'the owner'
                ELSE pg_get_userbyid(relowner)::text END AS owner
      FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition AND c.relname !~ '^migrations'
  ), tables AS (
    SELECT * FROM ours WHERE relkind IN ('r', 'p')
  ), facts (place, chapter, fact) AS (
    SELECT 1, 'tables', concat_ws(' ', relname, 'of', owner,
             CASE relkind WHEN 'p' THEN 'partitioned by ' || pg_get_partkeydef(oid) END,
             'with ' || array_to_string(reloptions, ', '))
      FROM tables
    UNION ALL
    SELECT 2, 'columns', concat_ws(' ', t.relname || '.' || attname, format_type(atttypid, atttypmod),
             CASE WHEN attnotnull THEN 'not null' END, 'default ' || pg_get_expr(adbin, adrelid),
             CASE WHEN attidentity <> '' THEN 'identity' END, CASE WHEN attgenerated <> '' THEN 'generated' END)
      FROM tables t
      JOIN pg_attribute a ON a.attrelid = t.oid AND attnum > 0 AND NOT attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
    UNION ALL
    SELECT 3, 'constraints', concat_ws(' ', t.relname || '.' || conname, pg_get_constraintdef(c.oid),
             CASE WHEN NOT convalidated THEN 'not valid' END)
      FROM tables t
      JOIN pg_constraint c ON c.conrelid = t.oid AND contype IN ('p', 'u', 'c', 'f', 'x')
    UNION ALL
    SELECT 4, 'indexes', concat_ws(' ', pg_get_indexdef(indexrelid), CASE WHEN NOT indisvalid THEN 'invalid' END)
      FROM pg_index JOIN tables t ON t.oid = indrelid
    UNION ALL
    SELECT 5, 'triggers', concat_ws(' ', pg_get_triggerdef(g.oid),
             CASE tgenabled WHEN 'A' THEN 'always' WHEN 'O' THEN 'as origin' WHEN 'R' THEN 'as replica'
                            ELSE 'disabled' END)
      FROM pg_trigger g JOIN tables t ON t.oid = tgrelid
     WHERE NOT tgisinternal
    UNION ALL
    SELECT 6, 'functions', concat_ws(' ', p.oid::regprocedure, 'returns', pg_get_function_result(p.oid),
             lanname, CASE provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END,
             'parallel ' || proparallel::text, CASE WHEN prosecdef THEN 'security definer' END, 'body ' || md5(prosrc))
      FROM pg_proc p JOIN pg_language l ON l.oid = prolang
     WHERE pronamespace = 'public'::regnamespace
    UNION ALL
    SELECT 7, 'rights', concat_ws(' ', CASE WHEN grantee = 0 THEN 'everybody' ELSE pg_get_userbyid(grantee)::text END,
             'may', string_agg(lower(privilege_type), ', ' ORDER BY privilege_type), 'on', relname)
      FROM ours, aclexplode(relacl)
     WHERE pg_get_userbyid(grantee) <> current_user AND relacl IS NOT NULL
     GROUP BY grantee, relname
    UNION ALL
    SELECT 7, 'rights', concat_ws(' ', pg_get_userbyid(grantee), 'may', lower(privilege_type), 'on', relname,
             'its columns', string_agg(attname, ', ' ORDER BY attnum))
      FROM ours JOIN pg_attribute a ON a.attrelid = ours.oid, aclexplode(attacl)
     GROUP BY grantee, relname, privilege_type
    UNION ALL
    SELECT 7, 'rights', concat_ws(' ', CASE WHEN grantee = 0 THEN 'everybody' ELSE pg_get_userbyid(grantee)::text END,
             'may', string_agg(lower(privilege_type), ', ' ORDER BY privilege_type), 'on schema', nspname)
      FROM pg_namespace, aclexplode(nspacl)
     WHERE nspname = 'public' AND grantee <> nspowner
     GROUP BY grantee, nspname
    UNION ALL
    SELECT 8, 'roles', concat_ws(' ', rolname, CASE WHEN rolcanlogin THEN 'may log in' END,
             CASE WHEN rolsuper THEN 'superuser' END, CASE WHEN rolcreaterole THEN 'makes roles' END,
             CASE WHEN rolcreatedb THEN 'makes databases' END, CASE WHEN rolbypassrls THEN 'bypasses policies' END,
             'with ' || nullif(array_to_string(ARRAY(SELECT unnest(rolconfig) ORDER BY 1), ', '), ''),
             'in ' || (SELECT string_agg(roleid::regrole::text, ', ' ORDER BY roleid::regrole::text)
                         FROM pg_auth_members WHERE member = r.oid))
      FROM pg_roles r
     WHERE rolname IN ('payonce_app', 'payonce_maintenance', 'payonce_answers')
  )
  SELECT chapter, fact FROM facts ORDER BY place, fact COLLATE "C"`;
