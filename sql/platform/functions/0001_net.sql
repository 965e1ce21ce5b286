-- What the extension pg_net offers, over a queue that functions-svc works off. Where the extension is installed,
-- its own objects are left alone.
--
-- Everything belongs to the superuser, and nobody else may put triggers on the tables: what runs in the worker's
-- session runs with its rights.

create schema if not exists net authorization supabase_admin;

do $do$
begin
    if exists (select from pg_extension where extname = 'pg_net') then
        return;
    end if;

    if to_regtype('net.http_method') is null then
        create domain net.http_method as text
            check (value ilike 'get' or value ilike 'post' or value ilike 'delete');
    end if;

    -- Logged, unlike the original's: what was committed is sent, whatever ends in between.
    create table if not exists net.http_request_queue (
        id bigserial primary key,
        method net.http_method not null,
        url text not null,
        headers jsonb,
        body bytea,
        timeout_milliseconds integer not null
    );
    alter table net.http_request_queue
        -- When it may be sent: later than its making only after a connection that failed.
        add column if not exists due timestamptz not null default now(),
        add column if not exists attempts integer not null default 0,
        -- The session that sends it now.
        add column if not exists worker integer;
    create index if not exists http_request_queue_due_idx on net.http_request_queue (due, id) where worker is null;
    create index if not exists http_request_queue_worker_idx on net.http_request_queue (worker)
        where worker is not null;

    create table if not exists net._http_response (
        id bigint,
        status_code integer,
        content_type text,
        headers jsonb,
        content text,
        timed_out boolean,
        error_msg text,
        created timestamptz not null default now()
    );
    create index if not exists _http_response_created_idx on net._http_response (created);
    create index if not exists _http_response_id_idx on net._http_response (id);
    -- Both are small and change all the time: dead rows would otherwise slow down every claim.
    alter table net.http_request_queue set (
        autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0);

    if to_regtype('net.request_status') is null then
        create type net.request_status as enum ('PENDING', 'SUCCESS', 'ERROR');
    end if;
    if to_regtype('net.http_response') is null then
        create type net.http_response as (status_code integer, headers jsonb, body text);
    end if;
    if to_regtype('net.http_response_result') is null then
        create type net.http_response_result as (
            status net.request_status, message text, response net.http_response);
    end if;

    -- Workers hold an advisory lock of this class for as long as their session lives.
    create or replace function net.check_worker_is_up() returns void language plpgsql as $f$
    begin
        if not exists (
            select from pg_catalog.pg_locks
            where locktype = 'advisory' and classid = 1852402801 and objsubid = 2 and granted
                and database = (select oid from pg_catalog.pg_database where datname = current_database())
        ) then
            raise exception using
                message = 'the pg_net background worker is not up',
                detail = 'the pg_net background worker is down due to an internal error and cannot process requests',
                hint = 'make sure that functions-svc runs and has the URL of this database';
        end if;
    end
    $f$;
    comment on function net.check_worker_is_up() is 'raises an exception if no worker serves the queue';

    create or replace function net.wait_until_running() returns void language plpgsql as $f$
    begin
        loop
            begin
                perform net.check_worker_is_up();
                return;
            exception when raise_exception then
                perform pg_sleep(0.05);
            end;
        end loop;
    end
    $f$;
    comment on function net.wait_until_running() is 'waits until a worker serves the queue';

    create or replace function net.wake() returns void language sql as $f$
        select pg_catalog.pg_notify('nilam_net', '')
    $f$;
    comment on function net.wake() is 'makes the workers look at the queue once the transaction is committed';

    create or replace function net.worker_restart() returns boolean language sql as $f$
        select pg_catalog.pg_notify('nilam_net', 'restart') is not null
    $f$;

    create or replace function net._await_response(request_id bigint) returns boolean language plpgsql as $f$
    begin
        while not exists (select from net._http_response r where r.id = request_id) loop
            perform pg_sleep(0.05);
        end loop;
        return true;
    end
    $f$;

    create or replace function net._urlencode_string(string character varying) returns text
    language sql immutable parallel safe as $f$
        select case
            when string !~ '[^A-Za-z0-9._~-]' then string::text
            else (
                select pg_catalog.string_agg(
                    case
                        when byte between 48 and 57 or byte between 65 and 90 or byte between 97 and 122
                            or byte in (45, 46, 95, 126) then chr(byte)
                        else '%' || pg_catalog.upper(pg_catalog.lpad(pg_catalog.to_hex(byte), 2, '0'))
                    end, '' order by place)
                from pg_catalog.convert_to(string, 'UTF8') as encoded (bytes),
                    pg_catalog.generate_series(0, pg_catalog.length(encoded.bytes) - 1) as place,
                    pg_catalog.get_byte(encoded.bytes, place) as byte
            )
        end
    $f$;

    create or replace function net._encode_url_with_params_array(url text, params_array text[]) returns text
    language plpgsql immutable parallel safe as $f$
    declare
        -- scheme, authority, path, query, fragment
        parts text[] := pg_catalog.regexp_match(url, '^([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$');
        query text;
        param text;
        refusal text;
    begin
        if url is null or params_array is null then
            return null;
        end if;
        if parts is null then
            refusal := case when url ~ '\s' then 'Malformed input to a URL function' else 'Bad scheme' end;
        elsif pg_catalog.lower(parts[1]) not in ('http', 'https') then
            refusal := 'Unsupported URL scheme';
        elsif coalesce(parts[2], '') = '' then
            refusal := 'No host part in the URL';
        elsif url ~ '[[:cntrl:]]' or parts[2] ~ '\s' then
            refusal := 'Malformed input to a URL function';
        end if;
        if refusal is not null then
            raise exception using
                errcode = 'internal_error', message = pg_catalog.format('invalid URL "%s": %s', url, refusal);
        end if;
        query := coalesce(pg_catalog.substr(parts[4], 2), '');
        foreach param in array params_array loop
            if param is not null then
                query := query || case when query = '' or query like '%&' then '' else '&' end || param;
            end if;
        end loop;
        return pg_catalog.lower(parts[1]) || '://' || parts[2] || coalesce(nullif(parts[3], ''), '/')
            || case when query = '' then '' else '?' || query end || coalesce(parts[5], '');
    end
    $f$;

    create or replace function net.http_get(
        url text, params jsonb default '{}'::jsonb, headers jsonb default '{}'::jsonb,
        timeout_milliseconds integer default 5000
    ) returns bigint language plpgsql security definer set search_path = net, pg_temp as $f$
    declare
        request_id bigint;
    begin
        insert into net.http_request_queue (method, url, headers, timeout_milliseconds)
        values ('GET', net._url_with_params(url, params), headers, timeout_milliseconds)
        returning id into request_id;
        perform pg_catalog.pg_notify('nilam_net', '');
        return request_id;
    end
    $f$;

    create or replace function net.http_post(
        url text, body jsonb default '{}'::jsonb, params jsonb default '{}'::jsonb,
        headers jsonb default '{"Content-Type": "application/json"}'::jsonb,
        timeout_milliseconds integer default 5000
    ) returns bigint language plpgsql security definer set search_path = net, pg_temp as $f$
    declare
        request_id bigint;
        content_type text;
    begin
        content_type := headers ->> 'Content-Type';
        if content_type is null then
            select value into content_type
            from pg_catalog.jsonb_each_text(coalesce(headers, '{}'))
            where pg_catalog.lower(key) = 'content-type'
            limit 1;
        end if;
        if content_type is null then
            headers := headers || '{"Content-Type": "application/json"}';
        elsif content_type <> 'application/json' then
            raise exception 'Content-Type header must be "application/json"';
        end if;
        insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
        values (
            'POST', net._url_with_params(url, params), headers,
            pg_catalog.convert_to(body::pg_catalog.text, 'UTF8'), timeout_milliseconds)
        returning id into request_id;
        perform pg_catalog.pg_notify('nilam_net', '');
        return request_id;
    end
    $f$;

    create or replace function net.http_delete(
        url text, params jsonb default '{}'::jsonb, headers jsonb default '{}'::jsonb,
        timeout_milliseconds integer default 5000, body jsonb default null
    ) returns bigint language plpgsql as $f$
    declare
        request_id bigint;
    begin
        insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
        values (
            'DELETE', net._url_with_params(url, params), headers,
            pg_catalog.convert_to(body::pg_catalog.text, 'UTF8'), timeout_milliseconds)
        returning id into request_id;
        perform pg_catalog.pg_notify('nilam_net', '');
        return request_id;
    end
    $f$;

    -- `params` may be null, which adds nothing. What most addresses look like is not taken apart: a trigger waits
    -- for this, and in an SQL function, which is planned anew with each call, it would wait the longest.
    create or replace function net._url_with_params(url text, params jsonb) returns text
    language plpgsql immutable parallel safe as $f$
    begin
        if (params is null or params = '{}')
            and url ~ '^https?://[^/?#[:space:][:cntrl:]]+/[^#[:space:][:cntrl:]]*$'
        then
            return url;
        end if;
        return net._encode_url_with_params_array(url, array(
            select net._urlencode_string(key) || '=' || net._urlencode_string(value)
            from pg_catalog.jsonb_each_text(params)));
    end
    $f$;

    create or replace function net._http_collect_response(request_id bigint, async boolean default true)
    returns net.http_response_result language plpgsql as $f$
    declare
        found_response net._http_response;
    begin
        if not async then
            perform net._await_response(request_id);
        end if;
        select * into found_response from net._http_response r where r.id = request_id;
        if not found or found_response.error_msg is not null then
            return row(
                'ERROR', coalesce(found_response.error_msg, 'request matching request_id not found'), null
            )::net.http_response_result;
        end if;
        return row(
            'SUCCESS', 'ok',
            row(found_response.status_code, found_response.headers, found_response.content)::net.http_response
        )::net.http_response_result;
    end
    $f$;

    create or replace function net.http_collect_response(request_id bigint, async boolean default true)
    returns net.http_response_result language plpgsql as $f$
    begin
        raise notice 'The net.http_collect_response function is deprecated.';
        return net._http_collect_response(request_id, async);
    end
    $f$;

    grant usage on schema net to public;
    grant usage, select, update on all sequences in schema net to public;
    -- Not all, as the extension does: whoever may make triggers would run code as the worker.
    grant select, insert, update, delete on net.http_request_queue, net._http_response to public;

    -- The image's event trigger does this when the extension is made.
    grant usage on schema net to supabase_functions_admin, postgres, anon, authenticated, service_role;
    revoke all on function net.http_get(text, jsonb, jsonb, integer) from public;
    revoke all on function net.http_post(text, jsonb, jsonb, jsonb, integer) from public;
    grant execute on function net.http_get(text, jsonb, jsonb, integer)
        to supabase_functions_admin, postgres, anon, authenticated, service_role;
    grant execute on function net.http_post(text, jsonb, jsonb, jsonb, integer)
        to supabase_functions_admin, postgres, anon, authenticated, service_role;
end
$do$;
