-- Everything belongs to the service's own role, and callers get what policies and triggers need.

do $$
declare
    routine regprocedure;
    relation regclass;
begin
    for routine in
        select p.oid::regprocedure from pg_proc p
        where p.pronamespace = 'realtime'::regnamespace and p.proname in (
            'apply_rls', 'broadcast_changes', 'build_prepared_statement_sql', 'cast', 'check_equality_op',
            'is_visible_through_filters', 'list_changes', 'quote_wal2json', 'send', 'send_binary',
            'subscription_check_filters', 'to_regrole', 'topic', 'wal2json_escape_identifier')
    loop
        execute format('alter function %s owner to supabase_realtime_admin', routine);
    end loop;
    -- The partitions too, or the owner of the whole could not drop them.
    for relation in
        select c.oid::regclass from pg_class c
        where c.relnamespace = 'realtime'::regnamespace and c.relkind in ('r', 'p')
        and (c.relname in ('messages', 'subscription') or c.relispartition)
    loop
        execute format('alter table %s owner to supabase_realtime_admin', relation);
    end loop;
end
$$;

grant usage on schema realtime to postgres, anon, authenticated, service_role;
grant all on schema realtime to supabase_realtime_admin;

grant select, insert, update on realtime.messages to postgres, anon, authenticated, service_role;
grant select on realtime.subscription to postgres, anon, authenticated, service_role;
grant usage on sequence realtime.subscription_id_seq to postgres, anon, authenticated, service_role;
grant execute on function
    realtime.apply_rls(jsonb, integer),
    realtime.build_prepared_statement_sql(text, regclass, realtime.wal_column[]),
    realtime.cast(text, regtype),
    realtime.check_equality_op(realtime.equality_op, regtype, text, text),
    realtime.check_equality_op(realtime.equality_op, regtype, text, text, boolean),
    realtime.is_visible_through_filters(realtime.wal_column[], realtime.user_defined_filter[]),
    realtime.quote_wal2json(regclass),
    realtime.subscription_check_filters(),
    realtime.to_regrole(text)
    to postgres, anon, authenticated, service_role;

-- Which versions are applied is nobody else's business; older Realtimes had given it away with the rest of the schema.
revoke all on realtime.schema_migrations
    from postgres, dashboard_user, anon, authenticated, service_role, supabase_realtime_admin;
