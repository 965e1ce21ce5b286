-- Whether a changed row passes a subscription's filters, and whether a subscription's filters make sense.

-- A value as JSON, read as the type says.
create or replace function realtime.cast(val text, type_ regtype) returns jsonb immutable language plpgsql as $$
declare
    found jsonb;
begin
    -- The log has bytes in hexadecimal digits, and that is what clients get.
    if type_ = 'bytea'::regtype then
        return to_jsonb(val);
    end if;
    execute format('select to_jsonb(%L::%s)', val, type_) into found;
    return found;
end
$$;

-- Is `val_1 op val_2` true, both read as the type?
create or replace function realtime.check_equality_op(
    op realtime.equality_op, type_ regtype, val_1 text, val_2 text, negate boolean
) returns boolean stable language plpgsql as $$
declare
    symbol text;
    home text;
    found boolean;
begin
    if op::text = 'is' then
        -- The right side is a word of the language, so only these words may reach it.
        if val_2 is null or val_2 not in ('null', 'true', 'false', 'unknown') then
            raise exception 'invalid value for is filter: must be null, true, false, or unknown';
        end if;
        symbol := case when negate then 'is not' else 'is' end;
        execute format('select %L::%s %s %s', val_1, type_, symbol, val_2) into found;
        return found;
    elsif op::text = 'isdistinct' then
        symbol := case when negate then 'is not distinct from' else 'is distinct from' end;
        execute format('select %L::%s %s %L::%s', val_1, type_, symbol, val_2, type_) into found;
        return found;
    end if;

    symbol := case op::text
        when 'eq' then '=' when 'neq' then '<>' when 'in' then '='
        when 'lt' then '<' when 'lte' then '<=' when 'gt' then '>' when 'gte' then '>='
        when 'like' then '~~' when 'ilike' then '~~*' when 'match' then '~' when 'imatch' then '~*'
    end;
    if symbol is null then
        raise exception 'unsupported equality operator: %', op;
    end if;
    -- The type of an extension compares by the extension's operators. This runs as a superuser, so an operator that
    -- anybody else made is not looked at.
    select n.nspname into home
    from pg_catalog.pg_operator o
    join pg_catalog.pg_namespace n on n.oid = o.oprnamespace
    join pg_catalog.pg_roles r on r.oid = o.oprowner and r.rolsuper
    where o.oprname = symbol and o.oprleft = type_ and o.oprright = type_
    order by n.nspname <> 'pg_catalog'
    limit 1;
    symbol := format('operator(%I.%s)', coalesce(home, 'pg_catalog'), symbol);
    if op::text = 'in' then
        execute format('select %L::%s %s any (%L::%s[])', val_1, type_, symbol, val_2, type_) into found;
    else
        execute format('select %L::%s %s %L::%s', val_1, type_, symbol, val_2, type_) into found;
    end if;
    return found <> coalesce(negate, false);
end
$$;

-- The same without negation, for those who call it by its old name.
create or replace function realtime.check_equality_op(
    op realtime.equality_op, type_ regtype, val_1 text, val_2 text
) returns boolean immutable language plpgsql as $$
begin
    return realtime.check_equality_op(op, type_, val_1, val_2, false);
end
$$;

-- All filters hold. A filter on a column that the change does not have does not; nor does one without an answer.
create or replace function realtime.is_visible_through_filters(
    columns realtime.wal_column[], filters realtime.user_defined_filter[]
) returns boolean stable language sql as $$
    select coalesce(bool_and(case when c.name is null then false else coalesce(
        realtime.check_equality_op(
            f.op, coalesce(c.type_oid::regtype, c.type_name::regtype), c.value #>> '{}', f.value, coalesce(f.negate, false)
        ), false
    ) end), true)
    from unnest($2) as f
    left join unnest($1) as c on c.name = f.column_name
$$;

-- Refuses a subscription that could never work, so that it fails now and not while changes are read.
create or replace function realtime.subscription_check_filters() returns trigger language plpgsql as $$
declare
    readable text[];
    filter realtime.user_defined_filter;
    kind regtype;
    name text;
begin
    readable := array(
        select a.attname::text
        from pg_catalog.pg_attribute a
        where a.attrelid = new.entity and a.attnum > 0 and not a.attisdropped
        and pg_catalog.has_column_privilege(new.claims ->> 'role', a.attrelid, a.attnum, 'SELECT')
    );
    foreach filter in array coalesce(new.filters, '{}') loop
        if filter.column_name is null or filter.column_name <> all (readable) then
            raise exception 'invalid column for filter %', filter.column_name;
        end if;
        select a.atttypid::regtype into kind
        from pg_catalog.pg_attribute a
        where a.attrelid = new.entity and a.attname = filter.column_name;
        if kind is null then
            raise exception 'failed to lookup type for column %', filter.column_name;
        end if;

        case filter.op::text
            when 'in' then
                if coalesce(jsonb_array_length(realtime.cast(filter.value, (kind || '[]')::regtype)), 0) > 100 then
                    raise exception 'too many values for `in` filter. Maximum 100';
                end if;
            when 'is' then
                if filter.value not in ('null', 'true', 'false', 'unknown') then
                    raise exception 'invalid value for is filter: must be null, true, false, or unknown';
                end if;
                if filter.value <> 'null' and kind <> 'boolean'::regtype then
                    raise exception 'is % filter requires a boolean column, got %', filter.value, kind;
                end if;
            when 'like', 'ilike' then
                if not exists (select from pg_catalog.pg_operator o where o.oprname = '~~' and o.oprleft = kind) then
                    raise exception 'operator % requires a text-compatible column type, got %', filter.op, kind;
                end if;
            when 'match', 'imatch' then
                if not exists (
                    select from pg_catalog.pg_operator o
                    where o.oprname = case filter.op::text when 'match' then '~' else '~*' end
                    and o.oprleft = kind and o.oprright = kind and o.oprresult = 'boolean'::regtype
                ) then
                    raise exception 'operator % requires a text-compatible column type, got %', filter.op, kind;
                end if;
                begin
                    perform '' ~ filter.value;
                exception when others then
                    raise exception 'invalid regular expression for % filter: %', filter.op, sqlerrm;
                end;
            else
                perform realtime.cast(filter.value, kind);
        end case;
    end loop;

    foreach name in array coalesce(new.selected_columns, '{}') loop
        if name is null or name <> all (readable) then
            raise exception 'invalid column for select %', name;
        end if;
    end loop;

    -- In one order, so that the unique index sees equal subscriptions as equal.
    new.filters := array(
        select f::realtime.user_defined_filter
        from unnest(new.filters) as f
        order by f.column_name, f.op, f.value, f.negate
    );
    new.selected_columns := (select array_agg(c order by c) from unnest(new.selected_columns) as c);
    return new;
end
$$;

create or replace trigger tr_check_filters before insert or update on realtime.subscription
    for each row execute function realtime.subscription_check_filters();
