-- What the extension pg_cron offers; functions-svc runs the jobs. Where the extension is installed, its own objects
-- are left alone.
--
-- Everybody changes their own jobs through `cron._own_job`: a view checks the rights on the table as its owner and
-- evaluates `current_user` as whoever asks, which no function can do. The table itself is read only, also for roles
-- that row-level security does not bind: whoever could write a job for somebody else would become them.

create schema if not exists cron authorization supabase_admin;

do $do$
begin
    if exists (select from pg_extension where extname = 'pg_cron') then
        return;
    end if;

    create sequence if not exists cron.jobid_seq;
    create table if not exists cron.job (
        jobid bigint primary key default nextval('cron.jobid_seq'),
        schedule text not null,
        command text not null,
        nodename text not null default 'localhost',
        nodeport integer not null default coalesce(inet_server_port(), 5432),
        database text not null default current_database(),
        username text not null default current_user,
        active boolean not null default true,
        jobname text,
        constraint jobname_username_uniq unique (jobname, username)
    );
    create sequence if not exists cron.runid_seq;
    create table if not exists cron.job_run_details (
        jobid bigint,
        runid bigint primary key default nextval('cron.runid_seq'),
        job_pid integer,
        database text,
        username text,
        command text,
        status text,
        return_message text,
        start_time timestamptz,
        end_time timestamptz
    );
    -- Which run of a job was begun last. A run belongs to the copy of the service that moves this.
    create table if not exists cron._job_claim (
        jobid bigint primary key references cron.job (jobid) on delete cascade,
        due timestamptz not null
    );

    alter table cron.job enable row level security;
    alter table cron.job_run_details enable row level security;
    drop policy if exists cron_job_policy on cron.job;
    create policy cron_job_policy on cron.job using (username = current_user);
    drop policy if exists cron_job_run_details_policy on cron.job_run_details;
    create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);

    create or replace view cron._own_job as
        select jobid, schedule, command, database, username, active, jobname
        from cron.job
        where username = current_user
        with cascaded check option;

    -- One of the five fields: lists of numbers or names, ranges, steps. What stands behind the list up to the next
    -- blank is passed over, as the original does.
    create or replace function cron._is_field(field text, low integer, high integer, names text[]) returns boolean
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $f$
    declare
        rest text := field;
        part text[];
        word text;
        value integer;
    begin
        loop
            if rest like '*%' then
                part := regexp_match(rest, '^\*(?:(/)([A-Za-z0-9]*))?(.*)$');
                part := array[null, null, null]::text[] || part;
            else
                part := regexp_match(rest, '^([A-Za-z0-9]+)(?:(-)([A-Za-z0-9]*)(?:(/)([A-Za-z0-9]*))?)?(.*)$');
                if part is null then
                    return false;
                end if;
                foreach word in array
                    array[part[1]] || case when part[2] is null then array[]::text[] else array[part[3]] end
                loop
                    value := coalesce(
                        array_position(names, lower(word)) - 1 + low,
                        case when word ~ '^0*[0-9]{1,4}$' then word::integer end);
                    if value is null or value not between low and high then
                        return false;
                    end if;
                end loop;
                -- A step needs a range.
                if part[2] is null and part[6] like '/%' then
                    return false;
                end if;
            end if;
            if part[4] is not null and (part[5] !~ '^0*[0-9]{1,4}$' or part[5]::integer not between 1 and high) then
                return false;
            end if;
            if part[6] not like ',%' then
                return true;
            end if;
            rest := substr(part[6], 2);
        end loop;
    end
    $f$;

    create or replace function cron._is_schedule(schedule text) returns boolean
    language plpgsql immutable set search_path = pg_catalog, pg_temp as $f$
    declare
        line text := regexp_replace(schedule, '^(?:[ \t\n]|#[^\n]*\n)+', '');
        field text[];
    begin
        field := regexp_match(lower(schedule), '^\s*\+?0*([0-9]{1,2})\s*second(?:s\s*)?$');
        if field is not null then
            return field[1]::integer between 1 and 59;
        end if;
        if octet_length(schedule) >= 1000 then
            return false;
        end if;
        if line like '@%' then
            return substring(line from '^@([^ \t\n]*)') in (
                'reboot', 'restart', 'yearly', 'annually', 'monthly', 'weekly', 'daily', 'midnight', 'hourly');
        end if;
        field := regexp_match(line,
            '^([^ \t\n]+)[ \t]+([^ \t\n]+)[ \t]+([^ \t\n]+)[ \t]+([^ \t\n]+)[ \t]+([^ \t\n]+)');
        return field is not null
            and cron._is_field(field[1], 0, 59, null)
            and cron._is_field(field[2], 0, 23, null)
            and (field[3] = '$' or cron._is_field(field[3], 1, 31, null))
            and cron._is_field(field[4], 1, 12,
                '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}')
            and cron._is_field(field[5], 0, 7, '{sun,mon,tue,wed,thu,fri,sat}');
    end
    $f$;

    -- The checks that `schedule` and `alter_job` share; gives whom the job is for.
    create or replace function cron._check(schedule text, database text, username text, refusal text) returns text
    language plpgsql set search_path = pg_catalog, pg_temp as $f$
    declare
        who text := current_user;
        can_log_in boolean;
    begin
        if schedule is not null and not cron._is_schedule(schedule) then
            raise exception using
                errcode = 'invalid_parameter_value',
                message = 'invalid schedule: ' || schedule,
                hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
        end if;
        if username is not null then
            if not (select rolsuper from pg_roles where rolname = current_user) then
                raise exception using errcode = 'internal_error', message = refusal;
            end if;
            select rolcanlogin into can_log_in from pg_roles where rolname = username;
            if can_log_in is null then
                raise exception using
                    errcode = 'internal_error', message = format('role "%s" does not exist', username);
            elsif not can_log_in then
                raise exception using
                    errcode = 'internal_error', message = format('role "%s" can not log in', username),
                    detail = 'Jobs may only be run by roles that have the LOGIN attribute.';
            end if;
            who := username;
        end if;
        if database is not null then
            if not exists (select from pg_database where datname = database) then
                raise exception using
                    errcode = 'invalid_catalog_name', message = format('database "%s" does not exist', database);
            elsif not has_database_privilege(who, database, 'connect') then
                raise exception using
                    errcode = 'internal_error',
                    message = format('User %s does not have CONNECT privilege on %s', who, database);
            end if;
        end if;
        return who;
    end
    $f$;

    create or replace function cron._add(
        job_name text, new_schedule text, new_command text, new_database text, for_whom text, is_active boolean
    ) returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $f$
    declare
        who text := cron._check(
            new_schedule, new_database, for_whom, 'must be superuser to create a job for another role');
        new_id bigint;
    begin
        if who = current_user then
            insert into cron._own_job (schedule, command, database, username, active, jobname)
            values (new_schedule, new_command, new_database, who, is_active, job_name)
            on conflict (jobname, username) do update
            set schedule = excluded.schedule, command = excluded.command, database = excluded.database
            returning jobid into new_id;
        else
            insert into cron.job (schedule, command, database, username, active, jobname)
            values (new_schedule, new_command, new_database, who, is_active, job_name)
            on conflict (jobname, username) do update
            set schedule = excluded.schedule, command = excluded.command, database = excluded.database
            returning jobid into new_id;
        end if;
        return new_id;
    end
    $f$;

    create or replace function cron.schedule(schedule text, command text) returns bigint
    language sql strict as $f$
        select cron._add(null, schedule, command, pg_catalog.current_database(), null, true)
    $f$;
    comment on function cron.schedule(text, text) is 'schedule a pg_cron job';

    create or replace function cron.schedule_in_database(
        job_name text, schedule text, command text, database text, username text default null,
        active boolean default true
    ) returns bigint language plpgsql as $f$
    begin
        if job_name is null then
            raise exception using errcode = 'internal_error', message = 'job_name can not be NULL';
        elsif schedule is null then
            raise exception using errcode = 'internal_error', message = 'schedule can not be NULL';
        elsif command is null then
            raise exception using errcode = 'internal_error', message = 'command can not be NULL';
        end if;
        return cron._add(
            job_name, schedule, command, coalesce(database, pg_catalog.current_database()), username,
            coalesce(active, true));
    end
    $f$;
    comment on function cron.schedule_in_database(text, text, text, text, text, boolean) is 'schedule a pg_cron job';

    create or replace function cron.schedule(job_name text, schedule text, command text) returns bigint
    language plpgsql as $f$
    begin
        if job_name is null then
            raise exception using errcode = 'internal_error', message = 'job_name can not be NULL';
        elsif schedule is null then
            raise exception using errcode = 'internal_error', message = 'schedule can not be NULL';
        elsif command is null then
            raise exception using errcode = 'internal_error', message = 'command can not be NULL';
        end if;
        return cron._add(job_name, schedule, command, pg_catalog.current_database(), null, true);
    end
    $f$;
    comment on function cron.schedule(text, text, text) is 'schedule a pg_cron job';

    create or replace function cron._job_exists(job_id bigint) returns boolean
    language sql stable security definer set search_path = pg_catalog, pg_temp as $f$
        select exists (select from cron.job where jobid = job_id)
    $f$;

    create or replace function cron.unschedule(job_id bigint) returns boolean
    language plpgsql strict set search_path = pg_catalog, pg_temp as $f$
    begin
        delete from cron._own_job where jobid = job_id;
        if found then
            return true;
        end if;
        if not cron._job_exists(job_id) then
            raise exception using
                errcode = 'internal_error', message = format('could not find valid entry for job %s', job_id);
        end if;
        -- Somebody else's: for whom may delete from the table.
        delete from cron.job where jobid = job_id;
        return true;
    end
    $f$;
    comment on function cron.unschedule(bigint) is 'unschedule a pg_cron job';

    create or replace function cron.unschedule(job_name text) returns boolean
    language plpgsql strict set search_path = pg_catalog, pg_temp as $f$
    begin
        delete from cron._own_job where jobname = job_name;
        if not found then
            raise exception using
                errcode = 'internal_error', message = format('could not find valid entry for job ''%s''', job_name);
        end if;
        return true;
    end
    $f$;
    comment on function cron.unschedule(text) is 'unschedule a pg_cron job';

    create or replace function cron.alter_job(
        job_id bigint, schedule text default null, command text default null, database text default null,
        username text default null, active boolean default null
    ) returns void language plpgsql set search_path = pg_catalog, pg_temp as $f$
    #variable_conflict use_column
    declare
        new_schedule alias for $2;
        new_command alias for $3;
        new_database alias for $4;
        new_username alias for $5;
        new_active alias for $6;
        who text;
    begin
        if job_id is null then
            raise exception using errcode = 'internal_error', message = 'job_id can not be NULL';
        end if;
        who := cron._check(new_schedule, new_database, new_username, 'must be superuser to alter username');
        if num_nonnulls(new_schedule, new_command, new_database, new_username, new_active) = 0 then
            raise exception using
                errcode = 'internal_error', message = 'no updates specified',
                hint = 'You must specify at least one job attribute to change when calling alter_job';
        end if;
        if (select rolsuper from pg_roles where rolname = current_user) then
            update cron.job set
                schedule = coalesce(new_schedule, schedule), command = coalesce(new_command, command),
                database = coalesce(new_database, database), username = coalesce(new_username, username),
                active = coalesce(new_active, active)
            where jobid = job_id;
        else
            update cron._own_job set
                schedule = coalesce(new_schedule, schedule), command = coalesce(new_command, command),
                database = coalesce(new_database, database), active = coalesce(new_active, active)
            where jobid = job_id;
        end if;
        if not found then
            raise exception using
                errcode = 'internal_error',
                message = format('Job %s does not exist or you don''t own it', job_id);
        end if;
    end
    $f$;
    comment on function cron.alter_job(bigint, text, text, text, text, boolean)
        is 'Alter the job identified by job_id. Any option left as NULL will not be modified.';

    create or replace function cron.job_cache_invalidate() returns trigger language plpgsql as $f$
    begin
        perform pg_catalog.pg_notify('nilam_cron', '');
        return null;
    end
    $f$;
    comment on function cron.job_cache_invalidate() is 'invalidate job cache';
    create or replace trigger cron_job_cache_invalidate
        after insert or update or delete or truncate on cron.job
        for statement execute function cron.job_cache_invalidate();

    grant select on cron.job to public;
    grant select, delete on cron.job_run_details to public;
    grant select on sequence cron.jobid_seq, cron.runid_seq to public;
    grant usage on sequence cron.jobid_seq to public;
    grant select, delete on cron._own_job to public;
    grant insert (schedule, command, database, username, active, jobname) on cron._own_job to public;
    grant update (schedule, command, database, active) on cron._own_job to public;
    revoke all on function cron.alter_job(bigint, text, text, text, text, boolean) from public;
    revoke all on function cron.schedule_in_database(text, text, text, text, text, boolean) from public;

    -- As the image does when the extension is made, but for the right to put triggers on what the worker writes.
    grant usage on schema cron to postgres with grant option;
    grant execute on all functions in schema cron to postgres with grant option;
    grant select on cron.job to postgres with grant option;
    grant select, insert, update, delete, truncate on cron.job_run_details to postgres with grant option;
    grant usage, select on all sequences in schema cron to postgres with grant option;
end
$do$;
