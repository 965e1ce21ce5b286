select pg_catalog.json_agg(pg_catalog.json_build_array(n.nspname, pg_catalog.obj_description(n.oid, 'pg_namespace')))::text
from pg_catalog.pg_namespace n
where n.nspname = any ($1) and pg_catalog.obj_description(n.oid, 'pg_namespace') is not null
