-- The schemas of services belong to the superuser, as in the original: the CLI's `migration down` and its reset
-- of other databases drop all schemas of others. The services may do anything in them but drop them.

do $$
declare
    of record;
begin
    for of in
        select * from (values
            ('auth', 'supabase_auth_admin'), ('storage', 'supabase_storage_admin')
        ) as pair (schema, service)
    loop
        execute format('alter schema %I owner to supabase_admin', of.schema);
        execute format('grant all on schema %I to %I with grant option', of.schema, of.service);
    end loop;
end
$$;
