-- Every foreign key that is no partition's copy. ($1 is not used.)
select pg_catalog.json_agg(pg_catalog.json_build_object(
    'constraint', k.conname,
    'table', pg_catalog.json_build_object('schema', n.nspname, 'name', c.relname),
    'target', pg_catalog.json_build_object('schema', fn.nspname, 'name', f.relname),
    'columns', (
        select pg_catalog.json_agg(pg_catalog.json_build_array(a.attname, fa.attname) order by pair.position)
        from unnest(k.conkey, k.confkey) with ordinality as pair (own, theirs, position)
        join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = pair.own
        join pg_catalog.pg_attribute fa on fa.attrelid = k.confrelid and fa.attnum = pair.theirs
    ),
    'is_unique', exists (
        select from pg_catalog.pg_constraint u
        where u.conrelid = k.conrelid and u.contype in ('p', 'u')
        and (select pg_catalog.array_agg(x order by x) from pg_catalog.unnest(u.conkey) x)
            = (select pg_catalog.array_agg(x order by x) from pg_catalog.unnest(k.conkey) x)
    )
) order by n.nspname, c.relname, k.conname)::text
from pg_catalog.pg_constraint k
join pg_catalog.pg_class c on c.oid = k.conrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_class f on f.oid = k.confrelid
join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
where k.contype = 'f' and k.conparentid = 0 and $1::text[] is not null
