-- Types of the schema `realtime`. A database of an older Realtime has some of them in an earlier form.

do $$
begin
    if to_regtype('realtime.action') is null then
        create type realtime.action as enum ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'ERROR');
    end if;
    if to_regtype('realtime.equality_op') is null then
        create type realtime.equality_op as enum (
            'eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in', 'like', 'ilike', 'is', 'match', 'imatch', 'isdistinct');
    end if;
    if to_regtype('realtime.user_defined_filter') is null then
        create type realtime.user_defined_filter as (
            column_name text, op realtime.equality_op, value text, negate boolean);
    end if;
    if to_regtype('realtime.wal_column') is null then
        create type realtime.wal_column as (
            name text, type_name text, type_oid oid, value jsonb, is_pkey boolean, is_selectable boolean);
    end if;
    if to_regtype('realtime.wal_rls') is null then
        create type realtime.wal_rls as (
            wal jsonb, is_rls_enabled boolean, subscription_ids uuid[], errors text[]);
    end if;
end
$$;

alter type realtime.equality_op add value if not exists 'in';
alter type realtime.equality_op add value if not exists 'like';
alter type realtime.equality_op add value if not exists 'ilike';
alter type realtime.equality_op add value if not exists 'is';
alter type realtime.equality_op add value if not exists 'match';
alter type realtime.equality_op add value if not exists 'imatch';
alter type realtime.equality_op add value if not exists 'isdistinct';

do $$
begin
    if not exists (
        select from pg_attribute
        where attrelid = 'realtime.user_defined_filter'::regclass and attname = 'negate' and not attisdropped
    ) then
        alter type realtime.user_defined_filter add attribute negate boolean cascade;
    end if;
end
$$;

alter type realtime.action owner to supabase_realtime_admin;
alter type realtime.equality_op owner to supabase_realtime_admin;
alter type realtime.user_defined_filter owner to supabase_realtime_admin;
alter type realtime.wal_column owner to supabase_realtime_admin;
alter type realtime.wal_rls owner to supabase_realtime_admin;
