-- Who else may look: the platform's users read accounts and may say who reads them too.

do $$
begin
    if exists (select from pg_roles where rolname = 'dashboard_user') then
        grant all on all tables in schema auth to dashboard_user;
        grant all on all sequences in schema auth to dashboard_user;
        grant all on all functions in schema auth to dashboard_user;
    end if;
    if exists (select from pg_roles where rolname = 'postgres') and current_user <> 'postgres' then
        grant all on all tables in schema auth to postgres;
        grant select on all tables in schema auth to postgres with grant option;
        grant all on all sequences in schema auth to postgres;
        grant all on all functions in schema auth to postgres;
    end if;
end
$$;

-- The next set of scripts runs as another role, which could not replace this one.
drop function if exists pg_temp.ensure_constraint(regclass, text, text);
