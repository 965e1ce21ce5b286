-- Functions that can be called: all arguments named, or one unnamed of a type that takes a raw body.
with recursive domain as (
    select t.oid, t.typbasetype, coalesce(nullif(t.typbasetype, 0), t.oid) as base from pg_catalog.pg_type t
    union
    select d.oid, t.typbasetype, coalesce(nullif(t.typbasetype, 0), t.oid)
    from domain d join pg_catalog.pg_type t on t.oid = d.typbasetype
), base as (
    select oid, base from domain where typbasetype = 0
), argument as (
    select p.oid, arg.position, coalesce(p.proargnames[arg.position], '') as name, arg.type,
        coalesce(p.proargmodes[arg.position], 'i') as mode,
        pg_catalog.row_number() over (partition by p.oid order by arg.position) as input_number
    from pg_catalog.pg_proc p
    cross join lateral pg_catalog.unnest(coalesce(p.proallargtypes, p.proargtypes::pg_catalog.oid[])) with ordinality as arg (type, position)
    where coalesce(p.proargmodes[arg.position], 'i') in ('i', 'b', 'v')
), arguments as (
    select a.oid,
        pg_catalog.json_agg(pg_catalog.json_build_object(
            'name', a.name,
            'type', case pg_catalog.format_type(a.type, null)
                when 'character' then 'character varying' when 'character[]' then 'character varying[]'
                when 'bit' then 'bit varying' when 'bit[]' then 'bit varying[]'
                else pg_catalog.format_type(a.type, null) end,
            'declared', pg_catalog.format_type(a.type, null),
            'required', a.input_number <= p.pronargs - p.pronargdefaults,
            'variadic', a.mode = 'v'
        ) order by a.position) as list,
        pg_catalog.bool_and(a.name <> '') as all_named,
        pg_catalog.count(*) = 1 and pg_catalog.bool_and(a.name = '' and a.type in (
            'json'::pg_catalog.regtype, 'jsonb'::pg_catalog.regtype, 'text'::pg_catalog.regtype,
            'xml'::pg_catalog.regtype, 'bytea'::pg_catalog.regtype)) as takes_raw
    from argument a join pg_catalog.pg_proc p on p.oid = a.oid
    group by a.oid
)
select pg_catalog.json_agg(pg_catalog.json_build_object(
    'oid', p.oid::bigint, 'schema', n.nspname, 'name', p.proname, 'description', pg_catalog.obj_description(p.oid, 'pg_proc'),
    'arguments', coalesce(a.list, '[]'),
    'shape', case
        when t.oid = 'void'::pg_catalog.regtype then 'void'
        -- A bare record has its columns only at run time, so it is a value.
        when t.typtype = 'c' or coalesce(p.proargmodes::text[] && array['t', 'b', 'o'], false) then 'composite'
        else 'scalar' end,
    'returns_set', p.proretset,
    'returns', case when t.typtype = 'c' then pg_catalog.json_build_object('schema', cn.nspname, 'name', c.relname) end,
    'volatility', p.provolatile::text,
    'settings', coalesce((
        select pg_catalog.json_agg(pg_catalog.json_build_array(
            pg_catalog.split_part(setting, '=', 1), pg_catalog.substr(setting, pg_catalog.strpos(setting, '=') + 1)))
        from pg_catalog.unnest(p.proconfig) as setting
    ), '[]')
) order by n.nspname, p.proname, p.pronargs, p.oid)::text
from pg_catalog.pg_proc p
join pg_catalog.pg_namespace n on n.oid = p.pronamespace
join base b on b.oid = p.prorettype
join pg_catalog.pg_type t on t.oid = b.base
left join pg_catalog.pg_class c on c.oid = t.typrelid
left join pg_catalog.pg_namespace cn on cn.oid = c.relnamespace
left join arguments a on a.oid = p.oid
where p.prokind = 'f' and n.nspname = any ($1)
and t.oid not in ('trigger'::pg_catalog.regtype, 'event_trigger'::pg_catalog.regtype)
and (a.oid is null or a.all_named or a.takes_raw)
