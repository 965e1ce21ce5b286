-- Listing. Keys are ordered by their bytes; what lies behind a delimiter is shown once, as a folder, and then
-- skipped by a jump in the index, so that a listing costs what it shows and not what the bucket holds.

-- Earlier forms have other arguments and columns, which cannot be replaced.
do $$
declare
    routine regprocedure;
begin
    for routine in
        select p.oid::regprocedure from pg_proc p
        where p.pronamespace = 'storage'::regnamespace and p.proname in (
            'list_objects_with_delimiter', 'list_multipart_uploads_with_delimiter', 'search', 'search_by_timestamp', 'search_v2',
            'search_legacy_v1', 'search_v1_optimised')
    loop
        execute format('drop function %s', routine);
    end loop;
end
$$;

-- One page of the keys below a prefix. A cursor names the last entry of the page before, a folder or an object.
create or replace function storage.list_objects_with_delimiter(
    _bucket_id text, prefix_param text, delimiter_param text, max_keys integer default 100,
    start_after text default '', next_token text default '', sort_order text default 'asc'
) returns table (
    name text, id uuid, metadata jsonb, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz
) stable language plpgsql as $$
declare
    ascending constant boolean := lower(coalesce(sort_order, 'asc')) = 'asc';
    prefix constant text := coalesce(prefix_param, '');
    -- Behind every key with the prefix: no character is greater.
    ceiling constant text := prefix || chr(1114111);
    -- What comes right after everything that begins with a delimiter.
    beyond constant text := chr(ascii(delimiter_param) + 1);
    cursor_key constant text := coalesce(nullif(next_token, ''), start_after, '');
    shown integer := 0;
    seek text;
    -- True if the key at `seek` itself was shown already.
    after_seek boolean := false;
    folder text;
    found_row storage.objects;
begin
    if cursor_key = '' then
        seek := case when ascending then prefix else ceiling end;
    elsif exists (
        select from storage.objects o
        where o.bucket_id = _bucket_id
        and o.name collate "C" >= cursor_key || delimiter_param
        and o.name collate "C" < cursor_key || beyond
    ) then
        seek := cursor_key || case when ascending then beyond else delimiter_param end;
    else
        seek := cursor_key;
        after_seek := ascending;
    end if;
    if ascending and seek collate "C" < prefix then
        seek := prefix;
        after_seek := false;
    elsif not ascending and seek collate "C" > ceiling then
        seek := ceiling;
    end if;

    while shown < max_keys loop
        folder := null;
        if ascending then
            for found_row in
                select * from storage.objects o
                where o.bucket_id = _bucket_id and o.name collate "C" >= seek and o.name collate "C" < ceiling
                and not (after_seek and o.name = seek)
                order by o.name collate "C" limit max_keys - shown
            loop
                folder := storage.get_common_prefix(found_row.name, prefix, delimiter_param);
                exit when folder is not null;
                name := found_row.name; id := found_row.id; metadata := found_row.metadata;
                updated_at := found_row.updated_at; created_at := found_row.created_at;
                last_accessed_at := found_row.last_accessed_at;
                return next;
                shown := shown + 1;
            end loop;
        else
            for found_row in
                select * from storage.objects o
                where o.bucket_id = _bucket_id and o.name collate "C" < seek and o.name collate "C" >= prefix
                order by o.name collate "C" desc limit max_keys - shown
            loop
                folder := storage.get_common_prefix(found_row.name, prefix, delimiter_param);
                exit when folder is not null;
                name := found_row.name; id := found_row.id; metadata := found_row.metadata;
                updated_at := found_row.updated_at; created_at := found_row.created_at;
                last_accessed_at := found_row.last_accessed_at;
                return next;
                shown := shown + 1;
            end loop;
        end if;
        -- The rows ended, or there are enough.
        exit when folder is null;
        name := rtrim(folder, delimiter_param);
        id := null; metadata := null; updated_at := null; created_at := null; last_accessed_at := null;
        return next;
        shown := shown + 1;
        after_seek := false;
        seek := case when ascending then left(folder, -1) || beyond else folder end;
    end loop;
end
$$;

-- One page of the uploads in parts below a prefix, the first of each key.
create or replace function storage.list_multipart_uploads_with_delimiter(
    bucket_id text, prefix_param text, delimiter_param text, max_keys integer default 100,
    next_key_token text default '', next_upload_token text default ''
) returns table (key text, id text, created_at timestamptz) language plpgsql as $$
begin
    return query
    with entry as (
        select coalesce(storage.get_common_prefix(u.key, $2, $3), u.key) collate "C" as key, u.id, u.created_at, u.key as upload_key
        from storage.s3_multipart_uploads u
        where u.bucket_id = $1 and starts_with(u.key, $2)
        and ($6 = '' or u.id collate "C" > $6)
    )
    select distinct on (e.key) e.key::text, e.id, e.created_at
    from entry e
    where $5 = '' or $6 <> '' or e.key > $5
    order by e.key, e.upload_key collate "C", e.created_at
    limit $4;
end
$$;

-- The listing of the first version: names without regard to case, relative to the prefix, with an offset.
create or replace function storage.search(
    prefix text, bucketname text, limits integer default 100, levels integer default 1, offsets integer default 0,
    search text default '', sortcolumn text default 'name', sortorder text default 'asc'
) returns table (
    name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb
) stable language plpgsql as $$
declare
    ascending constant boolean := lower(coalesce(sortorder, 'asc')) = 'asc';
    direction constant text := case when ascending then 'asc' else 'desc' end;
    most constant integer := least(coalesce(limits, 100), 1500);
    skip constant integer := coalesce(offsets, 0);
    wanted constant text := coalesce(prefix, '') || coalesce(search, '');
    floor_key constant text := lower(wanted);
    ceiling constant text := floor_key || chr(1114111);
    -- Names begin after the prefix, at the level where what is searched for ends.
    first_level constant integer := coalesce(array_length(string_to_array(coalesce(prefix, ''), '/'), 1), 1);
    last_level constant integer := coalesce(array_length(string_to_array(wanted, '/'), 1), 1);
    passed integer := 0;
    seek text := case when ascending then floor_key else ceiling end;
    folder text;
    found_row storage.objects;
begin
    if lower(coalesce(sortcolumn, 'name')) in ('updated_at', 'created_at', 'last_accessed_at') then
        -- Folders have no times: they come first, by name.
        return query execute format(
            $query$
            with entry as (
                select array_to_string(o.path_tokens[$1:$2], '/') as label, array_length(o.path_tokens, 1) = $2 as is_object,
                    o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
                from storage.objects o
                where o.bucket_id = $3 and lower(o.name) collate "C" >= $4 and lower(o.name) collate "C" < $5
            ), folders as (
                select distinct e.label from entry e where not e.is_object
            )
            select l.label, l.id, l.updated_at, l.created_at, l.last_accessed_at, l.metadata
            from (
                (select f.label, null::uuid as id, null::timestamptz as updated_at, null::timestamptz as created_at,
                    null::timestamptz as last_accessed_at, null::jsonb as metadata, 1 as part,
                    row_number() over (order by f.label %1$s) as place
                from folders f)
                union all
                (select e.label, e.id, e.updated_at, e.created_at, e.last_accessed_at, e.metadata, 2,
                    row_number() over (order by e.%2$I %1$s)
                from entry e where e.is_object)
            ) l
            order by l.part, l.place
            limit $6 offset $7
            $query$, direction, lower(sortcolumn)
        ) using first_level, last_level, bucketname, floor_key, ceiling, most, skip;
        return;
    end if;

    while passed < most + skip loop
        folder := null;
        if ascending then
            for found_row in
                select * from storage.objects o
                where o.bucket_id = bucketname and lower(o.name) collate "C" >= seek and lower(o.name) collate "C" < ceiling
                order by lower(o.name) collate "C" limit most + skip - passed
            loop
                folder := storage.get_common_prefix(found_row.name, wanted, '/');
                exit when folder is not null;
                passed := passed + 1;
                continue when passed <= skip;
                name := substring(found_row.name from length(coalesce(prefix, '')) + 1);
                id := found_row.id; metadata := found_row.metadata; updated_at := found_row.updated_at;
                created_at := found_row.created_at; last_accessed_at := found_row.last_accessed_at;
                return next;
            end loop;
        else
            for found_row in
                select * from storage.objects o
                where o.bucket_id = bucketname and lower(o.name) collate "C" < seek and lower(o.name) collate "C" >= floor_key
                order by lower(o.name) collate "C" desc limit most + skip - passed
            loop
                folder := storage.get_common_prefix(found_row.name, wanted, '/');
                exit when folder is not null;
                passed := passed + 1;
                continue when passed <= skip;
                name := substring(found_row.name from length(coalesce(prefix, '')) + 1);
                id := found_row.id; metadata := found_row.metadata; updated_at := found_row.updated_at;
                created_at := found_row.created_at; last_accessed_at := found_row.last_accessed_at;
                return next;
            end loop;
        end if;
        exit when folder is null;
        passed := passed + 1;
        if passed > skip then
            name := substring(rtrim(folder, '/') from length(coalesce(prefix, '')) + 1);
            id := null; metadata := null; updated_at := null; created_at := null; last_accessed_at := null;
            return next;
        end if;
        -- '0' is the character after '/'.
        seek := lower(case when ascending then left(folder, -1) || '0' else folder end);
    end loop;
end
$$;

-- A page by time. A folder is as old as the oldest object in it; the cursor is a time and a name.
create or replace function storage.search_by_timestamp(
    p_prefix text, p_bucket_id text, p_limit integer, p_level integer, p_start_after text,
    p_sort_order text, p_sort_column text, p_sort_column_after text
) returns table (
    key text, name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb
) stable language plpgsql as $$
declare
    ascending constant boolean := p_sort_order = 'asc';
begin
    return query execute format(
        $query$
        with object as (
            select o.*, storage.get_common_prefix(o.name, $1, '/') as folder
            from storage.objects o
            where o.bucket_id = $2 and o.name collate "C" >= $1 and o.name collate "C" < $1 || chr(1114111)
        ), entry as (
            select rtrim(b.folder, '/') as label, null::uuid as id, min(b.created_at) as updated_at,
                min(b.created_at) as created_at, null::timestamptz as last_accessed_at, null::jsonb as metadata
            from object b where b.folder is not null
            group by b.folder
            union all
            select b.name, b.id, b.updated_at, b.created_at, b.last_accessed_at, b.metadata
            from object b where b.folder is null
        )
        select split_part(e.label, '/', $3), e.label, e.id, e.updated_at, e.created_at, e.last_accessed_at, e.metadata
        from entry e
        -- Clients keep milliseconds of a time.
        where $5 = '' or (date_trunc('milliseconds', e.%1$I), e.label collate "C")
            %2$s (coalesce(nullif($6, '')::timestamptz, 'epoch'), $5)
        order by coalesce(date_trunc('milliseconds', e.%1$I), 'epoch') %3$s, e.label collate "C" %3$s
        limit $4
        $query$,
        p_sort_column, case when ascending then '>' else '<' end, case when ascending then 'asc' else 'desc' end
    ) using coalesce(p_prefix, ''), p_bucket_id, p_level, p_limit, p_start_after, p_sort_column_after;
end
$$;

-- The listing of the second version: whole names, and a cursor.
create or replace function storage.search_v2(
    prefix text, bucket_name text, limits integer default 100, levels integer default 1, start_after text default '',
    sort_order text default 'asc', sort_column text default 'name', sort_column_after text default ''
) returns table (
    key text, name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb
) stable language plpgsql as $$
declare
    most constant integer := least(coalesce(limits, 100), 1500);
    direction constant text := case when lower(sort_order) = 'desc' then 'desc' else 'asc' end;
begin
    if lower(sort_column) in ('updated_at', 'created_at') then
        return query select * from storage.search_by_timestamp(
            prefix, bucket_name, most, levels, start_after, direction, lower(sort_column), sort_column_after);
    else
        return query
        select split_part(l.name, '/', levels), l.name, l.id, l.updated_at, l.created_at, l.last_accessed_at, l.metadata
        from storage.list_objects_with_delimiter(
            bucket_name, coalesce(prefix, ''), '/', most, start_after, '', direction) l;
    end if;
end
$$;
