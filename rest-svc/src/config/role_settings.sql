-- Settings of the roles that the login role is a direct member of, as far as it may set them.
with setting as (
    select r.rolname::text as role, pg_catalog.split_part(entry, '=', 1) as name,
        pg_catalog.lower(pg_catalog.substr(entry, pg_catalog.strpos(entry, '=') + 1)) as value
    from pg_catalog.pg_roles r
    join pg_catalog.pg_auth_members m on m.roleid = r.oid
    join pg_catalog.pg_roles login on login.oid = m.member and login.rolname = session_user
    cross join lateral pg_catalog.unnest(r.rolconfig) as entry
)
select s.role, s.name, s.value
from setting s
join pg_catalog.pg_settings k on k.name = s.name
where k.context = 'user' or pg_catalog.has_parameter_privilege(session_user, s.name, 'set')
