-- The relations of the exposed schemas, and all tables without columns, for the keys of views and junctions.
with recursive domain as (
    select t.oid, t.typbasetype, coalesce(nullif(t.typbasetype, 0), t.oid) as base, t.typdefault
    from pg_catalog.pg_type t
    union
    select d.oid, t.typbasetype, coalesce(nullif(t.typbasetype, 0), t.oid), coalesce(d.typdefault, t.typdefault)
    from domain d join pg_catalog.pg_type t on t.oid = d.typbasetype
), base as (
    select oid, base, typdefault from domain where typbasetype = 0
)
select pg_catalog.json_agg(pg_catalog.json_build_object(
    'oid', c.oid::bigint, 'schema', n.nspname, 'name', c.relname, 'kind', c.relkind::text,
    'description', pg_catalog.obj_description(c.oid, 'pg_class'),
    'insertable', c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and pg_catalog.pg_relation_is_updatable(c.oid, true) & 8 = 8,
    'updatable', c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and pg_catalog.pg_relation_is_updatable(c.oid, true) & 4 = 4,
    'deletable', c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and pg_catalog.pg_relation_is_updatable(c.oid, true) & 16 = 16,
    'primary_key', coalesce((
        select pg_catalog.json_agg(a.attname order by key.position)
        from pg_catalog.pg_constraint k
        cross join lateral pg_catalog.unnest(k.conkey) with ordinality as key (number, position)
        join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = key.number
        where k.conrelid = c.oid and k.contype = 'p'
    ), '[]'),
    'columns', case when n.nspname = any ($1) then coalesce((
        select pg_catalog.json_agg(pg_catalog.json_build_object(
            'name', a.attname,
            'declared', pg_catalog.format_type(a.atttypid, a.atttypmod),
            'base', pg_catalog.format_type(b.base, null),
            'nominal', pg_catalog.format_type(a.atttypid, null),
            'representation', case when t.typtype = 'd' then (
                -- Implicit casts by function between the domain and json or text.
                select pg_catalog.json_object_agg(
                    case when c.castsource = t.oid then 'to_json'
                        when c.castsource = 'json'::pg_catalog.regtype then 'from_json' else 'from_text' end,
                    pg_catalog.json_build_object('schema', pn.nspname, 'name', p.proname))
                from pg_catalog.pg_cast c
                join pg_catalog.pg_proc p on p.oid = c.castfunc
                join pg_catalog.pg_namespace pn on pn.oid = p.pronamespace
                where c.castcontext = 'i' and c.castmethod = 'f'
                and (c.castsource = t.oid and c.casttarget = 'json'::pg_catalog.regtype
                    or c.casttarget = t.oid and c.castsource in ('json'::pg_catalog.regtype, 'text'::pg_catalog.regtype))
                and pg_catalog.has_function_privilege(p.oid, 'execute')
            ) end,
            'nullable', not (a.attnotnull or t.typtype = 'd' and t.typnotnull),
            'default', case
                when a.attgenerated <> '' then null
                when a.attidentity = 'd' then (
                    -- By its dependency, because looking it up by name needs rights on the schema.
                    select pg_catalog.format('nextval(%L)', pg_catalog.format('%I.%I', sn.nspname, s.relname))
                    from pg_catalog.pg_depend dep
                    join pg_catalog.pg_class s on s.oid = dep.objid and s.relkind = 'S'
                    join pg_catalog.pg_namespace sn on sn.oid = s.relnamespace
                    where dep.refobjid = c.oid and dep.refobjsubid = a.attnum and dep.deptype = 'i'
                )
                when a.attidentity = 'a' then null
                else coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid), b.typdefault)
            end,
            'description', pg_catalog.col_description(c.oid, a.attnum),
            'labels', coalesce((
                select pg_catalog.json_agg(e.enumlabel order by e.enumsortorder)
                from pg_catalog.pg_enum e where e.enumtypid in (b.base, (select bt.typelem from pg_catalog.pg_type bt where bt.oid = b.base and bt.typelem <> 0))
            ), '[]'),
            'max_length', case when b.base in ('varchar'::pg_catalog.regtype, 'bpchar'::pg_catalog.regtype) and a.atttypmod > 4 then a.atttypmod - 4 end
        ) order by a.attnum)
        from pg_catalog.pg_attribute a
        join pg_catalog.pg_type t on t.oid = a.atttypid
        join base b on b.oid = a.atttypid
        left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ), '[]') else '[]' end
))::text
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'v', 'm', 'f', 'p') and not c.relispartition
and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'
