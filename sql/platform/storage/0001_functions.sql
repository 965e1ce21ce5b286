-- What policies ask about an object's name and the request. Names are paths with slashes.

create or replace function storage.foldername(name text) returns text[] language sql immutable as $$
    select parts[1:array_length(parts, 1) - 1] from string_to_array(name, '/') as parts
$$;

create or replace function storage.filename(name text) returns text language sql immutable as $$
    select parts[array_length(parts, 1)] from string_to_array(name, '/') as parts
$$;

-- What stands behind the last dot of the last part.
create or replace function storage.extension(name text) returns text language sql immutable as $$
    select reverse(split_part(reverse(parts[array_length(parts, 1)]), '.', 1)) from string_to_array(name, '/') as parts
$$;

-- The part of a key up to the first delimiter behind a prefix; null if there is none.
create or replace function storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text)
returns text language sql immutable as $$
    select case when at > 0 then left(p_key, length(p_prefix) + at) end
    from position(p_delimiter in substr(p_key, length(p_prefix) + 1)) as at
$$;

-- Which operation of the API runs, as `storage.object.get` or, in older policies, `object.get`.
create or replace function storage.operation() returns text language plpgsql stable as $$
begin
    return current_setting('storage.operation', true);
end
$$;

create or replace function storage.allow_any_operation(expected_operations text[]) returns boolean
language sql stable as $$
    select coalesce(bool_or(regexp_replace(expected, '^storage\.', '') = regexp_replace(storage.operation(), '^storage\.', '')), false)
    from unnest(expected_operations) as expected
    where expected <> ''
$$;

create or replace function storage.allow_only_operation(expected_operation text) returns boolean
language sql stable as $$
    select storage.allow_any_operation(array[expected_operation])
$$;

create or replace function storage.update_updated_at_column() returns trigger language plpgsql as $$
begin
    new.updated_at := now();
    return new;
end
$$;

create or replace function storage.enforce_bucket_name_length() returns trigger language plpgsql as $$
begin
    if char_length(new.name) > 100 then
        raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, char_length(new.name);
    end if;
    return new;
end
$$;

-- A row that is deleted behind the service's back leaves its bytes for ever, so only the service may.
create or replace function storage.protect_delete() returns trigger language plpgsql as $$
begin
    if current_setting('storage.allow_delete_query', true) is distinct from 'true' then
        raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
            using hint = 'This prevents accidental data loss from orphaned objects.', errcode = '42501';
    end if;
    return null;
end
$$;
