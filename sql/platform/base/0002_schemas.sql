-- The schemas that several services share, and who may use them.

do $$
begin
    -- On our own server the database belongs to `postgres`, so that it may create trusted extensions.
    if (select rolsuper from pg_roles where rolname = 'postgres') is not true then
        execute format('alter database %I owner to postgres', current_database());
    end if;
end
$$;

create schema if not exists extensions authorization postgres;
grant usage on schema extensions to anon, authenticated, service_role, dashboard_user;
grant usage on schema extensions to supabase_auth_admin, supabase_storage_admin, supabase_functions_admin;

create extension if not exists "uuid-ossp" with schema extensions;
create extension if not exists pgcrypto with schema extensions;

do $$
begin
    -- Counts only when the server preloads its library, but projects expect to find it.
    if exists (select from pg_available_extensions where name = 'pg_stat_statements') then
        create extension if not exists pg_stat_statements with schema extensions;
    end if;
end
$$;
grant execute on all functions in schema extensions to anon, authenticated, service_role, postgres;

-- Nobody may create in `public` any more since 15, and the schema belongs to whoever owns the database.
grant usage on schema public to anon, authenticated, service_role;
grant all on schema public to postgres, supabase_admin;

create schema if not exists auth authorization supabase_auth_admin;
grant usage on schema auth to anon, authenticated, service_role, postgres;
grant all on schema auth to dashboard_user;

create schema if not exists storage authorization supabase_storage_admin;
grant usage on schema storage to postgres, anon, authenticated, service_role;
grant all on schema storage to dashboard_user;

create schema if not exists realtime authorization supabase_admin;
grant usage on schema realtime to postgres, anon, authenticated, service_role;
grant all on schema realtime to supabase_realtime_admin;
create schema if not exists _realtime authorization supabase_admin;

create schema if not exists supabase_functions authorization supabase_admin;
grant usage on schema supabase_functions to postgres, anon, authenticated, service_role;
grant all on schema supabase_functions to supabase_functions_admin;

-- What is made in `public` is for the API; row-level security decides who sees what.
do $$
declare
    creator text;
begin
    foreach creator in array array['postgres', 'supabase_admin'] loop
        execute format(
            'alter default privileges for role %I in schema public
                 grant all on tables to postgres, anon, authenticated, service_role', creator);
        execute format(
            'alter default privileges for role %I in schema public
                 grant all on functions to postgres, anon, authenticated, service_role', creator);
        execute format(
            'alter default privileges for role %I in schema public
                 grant all on sequences to postgres, anon, authenticated, service_role', creator);
    end loop;
end
$$;
