-- The names of all relations and their columns by number. ($1 is not used.)
select pg_catalog.json_agg(pg_catalog.json_build_object(
    'oid', c.oid::bigint, 'schema', n.nspname, 'name', c.relname,
    'columns', (
        select coalesce(pg_catalog.json_object_agg(a.attnum, a.attname), '{}')
        from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    )
))::text
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'v', 'm', 'f', 'p') and $1::text[] is not null
and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'
