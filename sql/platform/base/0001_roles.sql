-- The roles of the platform. Roles belong to the whole server, so another database of the same server may
-- have made them already, and somebody else's server has some of them under its own rules.

-- Makes a role, or brings an existing one to the given options.
create function pg_temp.ensure_role(name text, options text) returns void language plpgsql as $$
begin
    if exists (select from pg_roles where rolname = name) then
        execute format('alter role %I with %s', name, options);
    else
        execute format('create role %I with %s', name, options);
    end if;
end
$$;

-- Makes one role a member of another. Since 16 a grant says by itself whether the member may act with the
-- rights at once and may become the role; before, both followed from the role's INHERIT.
create function pg_temp.ensure_member(granted text, member text, inherits boolean default true) returns void
language plpgsql as $$
begin
    if current_setting('server_version_num')::int >= 160000 then
        execute format('grant %I to %I with inherit %s, set true', granted, member, case when inherits then 'true' else 'false' end);
    else
        execute format('grant %I to %I', granted, member);
    end if;
end
$$;

-- The roles that a request runs as.
select pg_temp.ensure_role('anon', 'nologin inherit');
select pg_temp.ensure_role('authenticated', 'nologin inherit');
select pg_temp.ensure_role('service_role', 'nologin inherit bypassrls');

-- The superuser of the platform: whoever bootstrapped our own cluster has this name already.
do $$
begin
    if not exists (select from pg_roles where rolname = 'supabase_admin') then
        create role supabase_admin with login superuser createdb createrole replication bypassrls;
    end if;
end
$$;

-- What users of the platform log in as: almost an administrator, but no superuser. On a server that was
-- bootstrapped by a superuser of this name the role is left as it is.
do $$
begin
    if not exists (select from pg_roles where rolname = 'postgres') then
        create role postgres with login createdb createrole replication bypassrls;
    end if;
end
$$;

-- The services.
select pg_temp.ensure_role('authenticator', 'login noinherit');
select pg_temp.ensure_role('supabase_auth_admin', 'login noinherit createrole');
select pg_temp.ensure_role('supabase_storage_admin', 'login noinherit createrole');
select pg_temp.ensure_role('supabase_functions_admin', 'login noinherit createrole');
select pg_temp.ensure_role('supabase_replication_admin', 'login replication');
select pg_temp.ensure_role('supabase_read_only_user', 'login bypassrls');
select pg_temp.ensure_role('supabase_realtime_admin', 'nologin noinherit');
select pg_temp.ensure_role('dashboard_user', 'nologin createdb createrole replication');
select pg_temp.ensure_role('pgbouncer', 'login');

do $$
declare
    name text;
begin
    foreach name in array array[
        'postgres', 'authenticator', 'supabase_auth_admin', 'supabase_storage_admin', 'supabase_functions_admin',
        'supabase_replication_admin', 'supabase_read_only_user', 'pgbouncer'
    ] loop
        -- Whoever connected keeps the password by which they did.
        if name <> session_user then
            execute format(
                'alter role %I with password %L',
                name, coalesce(nullif(current_setting('nilam.db_password', true), ''), 'postgres')
            );
        end if;
    end loop;
end
$$;

select pg_temp.ensure_member(granted, 'authenticator', false)
from unnest(array['anon', 'authenticated', 'service_role']) as granted;

select pg_temp.ensure_member(granted, 'postgres')
from unnest(array[
    'anon', 'authenticated', 'service_role', 'supabase_auth_admin', 'supabase_storage_admin',
    'supabase_functions_admin', 'supabase_realtime_admin', 'pg_monitor', 'pg_read_all_data', 'pg_signal_backend'
]) as granted;

select pg_temp.ensure_member('authenticator', 'supabase_storage_admin', false);
select pg_temp.ensure_member('pg_read_all_data', 'supabase_read_only_user');
grant authenticator to postgres with admin option;
grant anon, authenticated, service_role to postgres with admin option;

-- A request may not hold a connection for long; the limits of a role apply when it logs in, so rest reads
-- those of the roles it switches to and sets them itself.
alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';

-- Projects call functions of extensions without naming the schema.
alter role postgres set search_path = "$user", public, extensions;
alter role supabase_admin set search_path = "$user", public, auth, extensions;
alter role supabase_auth_admin set search_path = auth;
alter role supabase_auth_admin set idle_in_transaction_session_timeout = '60s';
alter role supabase_storage_admin set search_path = storage;
alter role supabase_functions_admin set search_path = supabase_functions;

-- Projects configure rest by `alter role authenticator set pgrst.…`. A placeholder setting can be set by a
-- superuser only, unless the right is given for its name.
do $$
declare
    name text;
begin
    foreach name in array array[
        'db_aggregates_enabled', 'db_anon_role', 'db_extra_search_path', 'db_hoisted_tx_settings', 'db_max_rows',
        'db_plan_enabled', 'db_pre_request', 'db_prepared_statements', 'db_root_spec', 'db_schemas',
        'db_timezone_enabled', 'db_tx_end', 'jwt_aud', 'jwt_cache_max_entries', 'jwt_role_claim_key', 'jwt_secret',
        'jwt_secret_is_base64', 'log_level', 'openapi_mode', 'openapi_security_active', 'openapi_server_proxy_uri',
        'server_timing_enabled', 'server_trace_header'
    ] loop
        execute format('grant set on parameter %I to postgres', 'pgrst.' || name);
    end loop;
end
$$;
