-- Changes of rows as wal2json reports them, and who may see them.

create or replace function realtime.wal2json_escape_identifier(name text) returns text immutable strict language sql
    -- What wal2json takes for a separator is part of the name after a backslash.
    as $$ select regexp_replace($1, '([\\,.[:space:]])', '\\\1', 'g') $$;

create or replace function realtime.quote_wal2json(entity regclass) returns text immutable strict language sql as $$
    select realtime.wal2json_escape_identifier(n.nspname::text) || '.' || realtime.wal2json_escape_identifier(c.relname::text)
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.oid = $1
$$;

-- The text of a PREPARE that asks whether the row of the given key is there for whoever executes it; null without a key.
create or replace function realtime.build_prepared_statement_sql(
    prepared_statement_name text, entity regclass, columns realtime.wal_column[]
) returns text language sql as $$
    select format('prepare %s as select exists (select 1 from %s where ', $1, $2)
        || string_agg(format('%I = %L', c.name, c.value #>> '{}'), ' and ') || ')'
    from unnest($3) as c
    where c.is_pkey
$$;

-- One change for every role that listens: what the role may see of it, and which of its subscriptions get it.
create or replace function realtime.apply_rls(wal jsonb, max_record_bytes integer default (1024 * 1024))
returns setof realtime.wal_rls language plpgsql as $$
declare
    relation regclass := format('%I.%I', wal ->> 'schema', wal ->> 'table')::regclass;
    change realtime.action := case wal ->> 'action'
        when 'I' then 'INSERT' when 'U' then 'UPDATE' when 'D' then 'DELETE' else 'ERROR' end;
    guarded boolean := (select c.relrowsecurity from pg_catalog.pg_class c where c.oid = relation);
    too_large boolean := octet_length(wal::text) > max_record_bytes;
    listening realtime.subscription[];
    candidates realtime.subscription[];
    listener realtime.subscription;
    now_columns realtime.wal_column[];
    old_columns realtime.wal_column[];
    viewer regrole;
    choice text[];
    refusal text;
    allowed boolean;
    granted uuid[];
    shown jsonb;
begin
    -- Whoever called us may have switched roles.
    perform set_config('role', null, true);

    listening := array(
        select s from realtime.subscription s
        where s.entity = relation and s.action_filter in ('*', change::text)
    );
    now_columns := array(
        select row(
            c ->> 'name', c ->> 'type', c ->> 'typeoid',
            realtime.cast(c ->> 'value', coalesce((c ->> 'typeoid')::regtype, (c ->> 'type')::regtype)),
            exists (select from jsonb_array_elements(wal -> 'pk') k where k ->> 'name' = c ->> 'name'), true
        )::realtime.wal_column
        from jsonb_array_elements(wal -> 'columns') c
    );
    old_columns := array(
        select row(
            c ->> 'name', c ->> 'type', c ->> 'typeoid',
            realtime.cast(c ->> 'value', coalesce((c ->> 'typeoid')::regtype, (c ->> 'type')::regtype)),
            exists (select from jsonb_array_elements(wal -> 'pk') k where k ->> 'name' = c ->> 'name'), true
        )::realtime.wal_column
        from jsonb_array_elements(wal -> 'identity') c
    );

    for viewer in
        select s.claims_role from (select distinct l.claims_role from unnest(listening) l) s order by s.claims_role::text
    loop
        now_columns := array(
            select row(c.name, c.type_name, c.type_oid, c.value, c.is_pkey,
                pg_catalog.has_column_privilege(viewer, relation, c.name, 'SELECT'))::realtime.wal_column
            from unnest(now_columns) c
        );
        old_columns := array(
            select row(c.name, c.type_name, c.type_oid, c.value, c.is_pkey,
                pg_catalog.has_column_privilege(viewer, relation, c.name, 'SELECT'))::realtime.wal_column
            from unnest(old_columns) c
        );

        -- Without its key nobody can say which row this is; a deleted row is named by what is left of it.
        refusal := case
            when change = 'DELETE' then null
            when not exists (select from unnest(now_columns) c where c.is_pkey) then 'Error 400: Bad Request, no primary key'
            when exists (select from unnest(now_columns) c where c.is_pkey and not c.is_selectable) then 'Error 401: Unauthorized'
        end;

        granted := '{}';
        if refusal is null then
            candidates := array(
                select l from unnest(listening) l
                where l.claims_role = viewer
                and (
                    realtime.is_visible_through_filters(now_columns, l.filters)
                    or change = 'DELETE' and realtime.is_visible_through_filters(old_columns, l.filters)
                )
            );
            if guarded and change <> 'DELETE' then
                if exists (select from pg_catalog.pg_prepared_statements p where p.name = 'walrus_rls_stmt') then
                    deallocate walrus_rls_stmt;
                end if;
                execute realtime.build_prepared_statement_sql('walrus_rls_stmt', relation, now_columns);
                foreach listener in array candidates loop
                    -- A role's name comes quoted where it needs quotes; the setting takes it bare.
                    perform set_config('role', (select r.rolname from pg_catalog.pg_roles r where r.oid = viewer), true),
                        set_config('request.jwt.claims', listener.claims::text, true);
                    execute 'execute walrus_rls_stmt' into allowed;
                    perform set_config('role', null, true);
                    if allowed then
                        granted := granted || listener.subscription_id;
                    end if;
                end loop;
            else
                granted := array(select c.subscription_id from unnest(candidates) c);
            end if;
        end if;

        for choice in
            select s.selected_columns
            from (select distinct l.selected_columns from unnest(listening) l where l.claims_role = viewer) s
            order by coalesce(array_to_string(s.selected_columns, ','), '')
        loop
            shown := jsonb_build_object('schema', wal ->> 'schema', 'table', wal ->> 'table', 'type', change);
            if refusal is not null then
                return next row(
                    shown, guarded,
                    (select array_agg(l.subscription_id) from unnest(listening) l
                        where l.claims_role = viewer and l.selected_columns is not distinct from choice),
                    array[refusal]
                )::realtime.wal_rls;
                continue;
            end if;

            shown := shown || jsonb_build_object(
                'commit_timestamp',
                to_char((wal ->> 'timestamp')::timestamptz at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                'columns', (
                    select jsonb_agg(jsonb_build_object('name', a.attname, 'type', t.typname) order by a.attnum)
                    from pg_catalog.pg_attribute a
                    join pg_catalog.pg_type t on t.oid = a.atttypid
                    where a.attrelid = relation and a.attnum > 0
                    and pg_catalog.has_column_privilege(viewer, relation, a.attname, 'SELECT')
                    and (choice is null or a.attname = any (choice) or exists (
                        select from pg_catalog.pg_constraint p
                        where p.conrelid = relation and p.contype = 'p' and a.attnum = any (p.conkey)
                    ))
                )
            );
            if change in ('INSERT', 'UPDATE') then
                -- A large value that did not change is not in the log; with the full identity the old row has it.
                shown := shown || jsonb_build_object('record', (
                    select jsonb_object_agg(coalesce(n.name, o.name), case when n.name is null then o.value else n.value end)
                    from unnest(now_columns) n
                    full join unnest(old_columns) o on o.name = n.name
                    where coalesce(n.is_selectable, o.is_selectable)
                    and (choice is null or coalesce(n.name, o.name) = any (choice) or coalesce(n.is_pkey, o.is_pkey))
                    and (not too_large or octet_length(n.value::text) <= 64)
                ));
            end if;
            if change in ('UPDATE', 'DELETE') then
                -- Row-level security cannot be asked about a row that is gone, so only its key is shown.
                shown := shown || jsonb_build_object('old_record', (
                    select jsonb_object_agg(o.name, o.value)
                    from unnest(old_columns) o
                    where o.is_selectable
                    and (choice is null or o.name = any (choice) or o.is_pkey)
                    and (not too_large or octet_length(o.value::text) <= 64)
                    and (change = 'UPDATE' or not guarded or o.is_pkey)
                ));
            end if;

            return next row(
                shown, guarded,
                array(
                    select l.subscription_id from unnest(listening) l
                    where l.claims_role = viewer and l.selected_columns is not distinct from choice
                    and l.subscription_id = any (granted)
                ),
                case when too_large then array['Error 413: Payload Too Large'] else '{}' end
            )::realtime.wal_rls;
        end loop;
    end loop;
end
$$;

-- Takes changes from a slot of wal2json. Its last column says how many the slot gave, also when nobody listens.
create or replace function realtime.list_changes(
    publication name, slot_name name, max_changes integer, max_record_bytes integer
) returns table (wal jsonb, is_rls_enabled boolean, subscription_ids uuid[], errors text[], slot_changes_count bigint)
language sql set log_min_messages to 'fatal' as $$
    with published as (
        select concat_ws(',',
                case when p.pubinsert then 'insert' end,
                case when p.pubupdate then 'update' end,
                case when p.pubdelete then 'delete' end) as actions,
            coalesce((
                select string_agg(realtime.quote_wal2json(format('%I.%I', t.schemaname, t.tablename)::regclass), ',')
                from pg_catalog.pg_publication_tables t
                where t.pubname = p.pubname
            ), '') as tables
        from pg_catalog.pg_publication p
        where p.pubname = $1
    ), taken as materialized (
        -- Reading moves the slot, so it happens once.
        select change.data::jsonb as data
        from published
        cross join lateral pg_catalog.pg_logical_slot_get_changes(
            $2, null, $3, 'format-version', '2', 'include-pk', 'true', 'include-transaction', 'false',
            'include-timestamp', 'true', 'include-type-oids', 'true',
            'actions', published.actions, 'add-tables', published.tables
        ) as change
        where published.tables <> ''
    ), seen as (
        select r.* from taken cross join lateral realtime.apply_rls(taken.data, $4) as r
        where r.subscription_ids[1] is not null
    )
    select seen.wal, seen.is_rls_enabled, seen.subscription_ids, seen.errors, (select count(*) from taken) from seen
    union all
    select null, null, null, null, (select count(*) from taken) where not exists (select from seen)
$$;
