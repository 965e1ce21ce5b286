-- What both servers expect to find.
create role supabase_auth_admin login noinherit createrole password 'bench';
alter role supabase_auth_admin set search_path = auth;
do $$
declare role text;
begin
    for role in select unnest(array['postgres', 'anon', 'authenticated', 'service_role']) loop
        if not exists (select from pg_roles where rolname = role) then
            execute format('create role %I nologin', role);
        end if;
    end loop;
end $$;
create schema auth authorization supabase_auth_admin;
grant create on database bench to supabase_auth_admin;
