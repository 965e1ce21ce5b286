-- Database webhooks: the schema of the image's webhooks script, in the state after its last migration.

create schema if not exists supabase_functions authorization supabase_admin;
grant usage on schema supabase_functions to postgres, anon, authenticated, service_role;
grant all on schema supabase_functions to supabase_functions_admin;
alter default privileges in schema supabase_functions
    grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges in schema supabase_functions
    grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges in schema supabase_functions
    grant all on sequences to postgres, anon, authenticated, service_role;

create table if not exists supabase_functions.migrations (
    version text primary key,
    inserted_at timestamptz not null default now()
);
create table if not exists supabase_functions.hooks (
    id bigserial primary key,
    hook_table_id integer not null,
    hook_name text not null,
    created_at timestamptz not null default now(),
    request_id bigint
);
create index if not exists supabase_functions_hooks_request_id_idx
    on supabase_functions.hooks using btree (request_id);
create index if not exists supabase_functions_hooks_h_table_id_h_name_idx
    on supabase_functions.hooks using btree (hook_table_id, hook_name);
comment on table supabase_functions.hooks is 'Supabase Functions Hooks: Audit trail for triggered hooks.';

-- Arguments: url, method, headers, params, timeout in milliseconds. The text `null` stands for a missing one.
create or replace function supabase_functions.http_request() returns trigger
language plpgsql security definer set search_path = supabase_functions, pg_temp as $$
declare
    url text := nullif(tg_argv[0], 'null');
    method text := nullif(tg_argv[1], 'null');
    headers jsonb := coalesce(nullif(tg_argv[2], 'null'), '{"Content-Type": "application/json"}');
    params jsonb := coalesce(nullif(tg_argv[3], 'null'), '{}');
    timeout_ms integer := coalesce(nullif(tg_argv[4], 'null'), '1000');
    sent_request_id bigint;
begin
    if url is null then
        raise exception 'url argument is missing';
    end if;
    if method is null then
        raise exception 'method argument is missing';
    end if;
    case method
        when 'GET' then
            sent_request_id := net.http_get(url, params, headers, timeout_ms);
        when 'POST' then
            sent_request_id := net.http_post(
                url,
                pg_catalog.jsonb_build_object(
                    'old_record', old, 'record', new, 'type', tg_op, 'table', tg_table_name, 'schema', tg_table_schema),
                params, headers, timeout_ms);
        else
            raise exception 'method argument % is invalid', method;
    end case;
    insert into supabase_functions.hooks (hook_table_id, hook_name, request_id)
    values (tg_relid, tg_name, sent_request_id);
    return new;
end
$$;

grant all on all tables in schema supabase_functions to supabase_functions_admin;
grant all on all sequences in schema supabase_functions to supabase_functions_admin;
grant all on all tables in schema supabase_functions to postgres, anon, authenticated, service_role;
grant all on all sequences in schema supabase_functions to postgres, anon, authenticated, service_role;
alter table supabase_functions.migrations owner to supabase_functions_admin;
alter table supabase_functions.hooks owner to supabase_functions_admin;
alter function supabase_functions.http_request() owner to supabase_functions_admin;
revoke all on function supabase_functions.http_request() from public;
grant execute on function supabase_functions.http_request() to postgres, anon, authenticated, service_role;
