-- The stored queries of views in exposed schemas and the extra search path.
select pg_catalog.json_agg(pg_catalog.json_build_object(
    'oid', c.oid::bigint, 'schema', n.nspname, 'name', c.relname, 'action', r.ev_action::text,
    'columns', (
        select coalesce(pg_catalog.json_object_agg(a.attnum, a.attname), '{}')
        from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    )
))::text
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
where c.relkind in ('v', 'm') and n.nspname = any ($1)
