-- What makes bodies of other media types: aggregates and functions that return a domain named like a media type.
with media as (
    select t.oid, t.typnamespace, t.typname as domain, pg_catalog.lower(t.typname) as name,
        case t.typname when '*/*' then 'application/octet-stream' else t.typname end as content_type
    from pg_catalog.pg_type t
    where t.typtype = 'd' and (t.typname ~* '^[a-z0-9.-]+/[a-z0-9.+-]+$' or t.typname = '*/*')
), handler as (
    -- Over the rows of one relation, or of any.
    select n.nspname as schema, p.proname as name,
        case when a.typname = 'anyelement' then null else an.nspname end as target_schema,
        case when a.typname = 'anyelement' then null else a.typname end as target, m.name as media, m.content_type
    from media m
    join pg_catalog.pg_proc p on p.prorettype = m.oid and p.prokind = 'a' and p.pronargs = 1
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_type a on a.oid = p.proargtypes[0]
    join pg_catalog.pg_namespace an on an.oid = a.typnamespace
    left join pg_catalog.pg_class c on c.oid = a.typrelid
    where n.nspname = any ($1) and (a.typname = 'anyelement' or c.relkind in ('r', 'v', 'm', 'f', 'p'))
    union all
    -- A function that makes the body itself: its value passes through the domain.
    select dn.nspname, m.domain, n.nspname, p.proname, m.name, m.content_type
    from media m
    join pg_catalog.pg_namespace dn on dn.oid = m.typnamespace
    join pg_catalog.pg_proc p on p.prorettype = m.oid and p.prokind = 'f' and not p.proretset
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname = any ($1)
)
select pg_catalog.json_agg(pg_catalog.json_build_object(
    'function', pg_catalog.json_build_object('schema', h.schema, 'name', h.name),
    'target', case when h.target is not null then
        pg_catalog.json_build_object('schema', h.target_schema, 'name', h.target) end,
    'media', h.media, 'content_type', h.content_type
))::text
from handler h
