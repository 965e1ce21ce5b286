-- Rest keeps the catalog in memory. After a change of schema it is told to read it again, at commit.

create or replace function extensions.pgrst_ddl_watch() returns event_trigger language plpgsql as $$
declare
    command record;
begin
    for command in select * from pg_event_trigger_ddl_commands() loop
        -- Temporary objects come and go within a session and are never served.
        if command.schema_name is distinct from 'pg_temp' and command.command_tag in (
            'CREATE SCHEMA', 'ALTER SCHEMA', 'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE',
            'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE', 'CREATE VIEW', 'ALTER VIEW', 'CREATE MATERIALIZED VIEW',
            'ALTER MATERIALIZED VIEW', 'CREATE FUNCTION', 'ALTER FUNCTION', 'CREATE PROCEDURE', 'ALTER PROCEDURE',
            'CREATE TRIGGER', 'CREATE TYPE', 'ALTER TYPE', 'CREATE DOMAIN', 'ALTER DOMAIN', 'CREATE CAST', 'CREATE RULE',
            'COMMENT'
        ) then
            notify pgrst, 'reload schema';
            return;
        end if;
    end loop;
end
$$;

create or replace function extensions.pgrst_drop_watch() returns event_trigger language plpgsql as $$
declare
    dropped record;
begin
    for dropped in select * from pg_event_trigger_dropped_objects() loop
        if not dropped.is_temporary and dropped.object_type in (
            'schema', 'table', 'foreign table', 'view', 'materialized view', 'function', 'procedure', 'trigger', 'type',
            'domain', 'cast', 'rule', 'table column'
        ) then
            notify pgrst, 'reload schema';
            return;
        end if;
    end loop;
end
$$;

do $$
begin
    if not exists (select from pg_event_trigger where evtname = 'pgrst_ddl_watch') then
        create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
    end if;
    if not exists (select from pg_event_trigger where evtname = 'pgrst_drop_watch') then
        create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch();
    end if;
end
$$;
