-- Functions from one relation's row to rows of a relation.
select pg_catalog.json_agg(pg_catalog.json_build_object(
    'function', pg_catalog.json_build_object('schema', n.nspname, 'name', p.proname),
    'origin', pg_catalog.json_build_object('schema', fn.nspname, 'name', f.relname),
    'target', pg_catalog.json_build_object('schema', tn.nspname, 'name', t.relname),
    'to_one', not p.proretset or p.prorows = 1
))::text
from pg_catalog.pg_proc p
join pg_catalog.pg_namespace n on n.oid = p.pronamespace
join pg_catalog.pg_type ft on ft.oid = p.proargtypes[0] and ft.typtype = 'c'
join pg_catalog.pg_class f on f.oid = ft.typrelid and f.relkind in ('r', 'v', 'm', 'f', 'p')
join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
join pg_catalog.pg_type tt on tt.oid = p.prorettype and tt.typtype = 'c'
join pg_catalog.pg_class t on t.oid = tt.typrelid and t.relkind in ('r', 'v', 'm', 'f', 'p')
join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
where p.prokind = 'f' and p.pronargs = 1 and n.nspname = any ($1)
