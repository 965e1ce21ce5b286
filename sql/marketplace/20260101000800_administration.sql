-- What the administration needs beyond the listings: what is dealt with and what is not, who did what, and the
-- hints that make a decision quick.

alter table public.reports
add column handled_at timestamptz,
add column handled_by uuid references auth.users (id) on delete set null;
alter table public.contact_messages
add column handled_at timestamptz,
add column handled_by uuid references auth.users (id) on delete set null;

create index reports_open on public.reports (created_at) where handled_at is null;
create index reports_handler on public.reports (handled_by) where handled_by is not null;
create index contact_messages_open on public.contact_messages (created_at) where handled_at is null;
create index contact_messages_handler on public.contact_messages (handled_by) where handled_by is not null;
create index moderation_events_newest on public.moderation_events (at desc);

-- What administrators did, apart from the moves of a listing, which `moderation_events` has.
create table public.admin_events (
    id uuid primary key default gen_random_uuid(),
    actor uuid references auth.users (id) on delete set null,
    action text not null check (char_length(action) between 3 and 60),
    subject_type text not null check (
        subject_type in ('profile', 'property', 'coworking_space', 'enquiry', 'report', 'contact_message')
    ),
    subject_id uuid not null,
    -- As it was called then: the thing itself may be gone.
    subject text,
    details jsonb not null default '{}' check (jsonb_typeof(details) = 'object'),
    at timestamptz not null default now()
);
create index admin_events_newest on public.admin_events (at desc);
create index admin_events_actor on public.admin_events (actor);

alter table public.admin_events enable row level security;
revoke all on public.admin_events from anon, authenticated;
grant select on public.admin_events to authenticated;
create policy "administrators read what was done" on public.admin_events for select to authenticated
using ((select public.is_admin()));

-- Seeds, services and owners leave no trace here: only what somebody does as an administrator is recorded.
create function private.log_admin(action text, subject_type text, subject_id uuid, subject text, details jsonb)
returns void language plpgsql security definer set search_path = '' as $$
begin
    if auth.uid() is null or not public.is_admin() then
        return;
    end if;
    insert into public.admin_events (actor, action, subject_type, subject_id, subject, details)
    values (
        auth.uid(), log_admin.action, log_admin.subject_type, log_admin.subject_id, left(log_admin.subject, 200),
        coalesce(log_admin.details, '{}')
    );
end
$$;
revoke execute on function private.log_admin(text, text, uuid, text, jsonb) from public;

create function private.log_profile() returns trigger language plpgsql security definer set search_path = '' as $$
begin
    perform private.log_admin(
        case when new.verified_buyer then 'verify_buyer' else 'unverify_buyer' end, 'profile', new.id,
        coalesce(nullif(new.full_name, ''), new.email, new.phone), null);
    return null;
end
$$;
revoke execute on function private.log_profile() from public;
create trigger log_profile after update of verified_buyer on public.profiles
for each row when (old.verified_buyer is distinct from new.verified_buyer) execute function private.log_profile();

create function private.log_property() returns trigger language plpgsql security definer set search_path = '' as $$
begin
    if tg_op = 'DELETE' then
        if old.owner_id is distinct from auth.uid() then
            perform private.log_admin('delete_listing', 'property', old.id, old.title, null);
        end if;
        return null;
    end if;
    if new.featured is distinct from old.featured then
        perform private.log_admin(
            case when new.featured then 'feature_listing' else 'unfeature_listing' end, 'property', new.id, new.title,
            null);
    end if;
    if new.verified is distinct from old.verified then
        perform private.log_admin(
            case when new.verified then 'verify_listing' else 'unverify_listing' end, 'property', new.id, new.title,
            null);
    end if;
    return null;
end
$$;
revoke execute on function private.log_property() from public;
create trigger log_property after update of featured, verified or delete on public.properties
for each row execute function private.log_property();

create function private.log_space() returns trigger language plpgsql security definer set search_path = '' as $$
declare
    changed text[];
begin
    if tg_op = 'INSERT' then
        perform private.log_admin('create_space', 'coworking_space', new.id, new.name, null);
    elsif tg_op = 'DELETE' then
        perform private.log_admin('delete_space', 'coworking_space', old.id, old.name, null);
    else
        select array_agg(after.key order by after.key) into changed
        from jsonb_each(to_jsonb(new)) as after
        where after.key <> 'updated_at' and after.value is distinct from to_jsonb(old) -> after.key;
        if changed is not null then
            perform private.log_admin(
                'update_space', 'coworking_space', new.id, new.name, jsonb_build_object('changed', changed));
        end if;
    end if;
    return null;
end
$$;
revoke execute on function private.log_space() from public;
create trigger log_space after insert or update or delete on public.coworking_space
for each row execute function private.log_space();

-- A part that goes with its space is not worth a line of its own.
create function private.log_space_part() returns trigger language plpgsql security definer set search_path = '' as $$
declare
    space uuid := case when tg_op = 'DELETE' then old.coworking_space_id else new.coworking_space_id end;
    name text;
begin
    select s.name into name from public.coworking_space as s where s.id = space;
    if name is not null then
        perform private.log_admin(
            'update_space', 'coworking_space', space, name, jsonb_build_object('changed', array[tg_argv[0]]));
    end if;
    return null;
end
$$;
revoke execute on function private.log_space_part() from public;
create trigger log_space_part after insert or update or delete on public.coworking_offering_type
for each row execute function private.log_space_part('offerings');
create trigger log_space_part after insert or update or delete on public.coworking_space_images
for each row execute function private.log_space_part('images');

create function private.log_enquiry() returns trigger language plpgsql security definer set search_path = '' as $$
declare
    title text;
begin
    select p.title into title from public.properties as p where p.id = old.property_id;
    if tg_op = 'DELETE' then
        if title is not null then
            perform private.log_admin('delete_enquiry', 'enquiry', old.id, title, null);
        end if;
    elsif old.owner_id is distinct from auth.uid() then
        perform private.log_admin(
            'set_enquiry_status', 'enquiry', new.id, title,
            jsonb_build_object('from', old.status, 'to', new.status));
    end if;
    return null;
end
$$;
revoke execute on function private.log_enquiry() from public;
create trigger log_enquiry_status after update of status on public.enquiries
for each row when (old.status is distinct from new.status) execute function private.log_enquiry();
create trigger log_enquiry_gone after delete on public.enquiries
for each row execute function private.log_enquiry();

-- A report or a message was dealt with, or comes back to the desk.
create function public.set_handled(kind text, p_id uuid, handled boolean) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
    subject text;
begin
    perform private.assert_admin();
    if set_handled.kind = 'report' then
        update public.reports as r
        set handled_at = case when set_handled.handled then now() end,
            handled_by = case when set_handled.handled then auth.uid() end,
            updated_at = now()
        where r.id = set_handled.p_id
        returning r.reason into subject;
    elsif set_handled.kind = 'contact_message' then
        update public.contact_messages as m
        set handled_at = case when set_handled.handled then now() end,
            handled_by = case when set_handled.handled then auth.uid() end,
            updated_at = now()
        where m.id = set_handled.p_id
        returning coalesce(m.subject, m.name) into subject;
    else
        raise invalid_parameter_value using message = 'Only a report or a contact message can be dealt with.';
    end if;
    if not found then
        return false;
    end if;
    perform private.log_admin(
        case when set_handled.handled then 'close_' else 'reopen_' end || set_handled.kind,
        set_handled.kind, set_handled.p_id, subject, null);
    return true;
end
$$;
revoke execute on function public.set_handled(text, uuid, boolean) from public, anon;

-- How much waits on each desk.
create function public.admin_counts()
returns table (pending bigint, reports bigint, messages bigint)
language plpgsql stable security definer set search_path = '' as $$
begin
    perform private.assert_admin();
    return query select
        (select count(*) from public.properties as p where p.status = 'pending'),
        (select count(*) from public.reports as r where r.handled_at is null),
        (select count(*) from public.contact_messages as m where m.handled_at is null);
end
$$;
revoke execute on function public.admin_counts() from public, anon;

-- Who may moderate. Roles themselves are given by SQL or with the service key only.
create function public.administrators() returns table (user_id uuid)
language plpgsql stable security definer set search_path = '' as $$
begin
    perform private.assert_admin();
    return query select u.id from auth.users as u where u.raw_app_meta_data ->> 'role' = 'admin';
end
$$;
revoke execute on function public.administrators() from public, anon;

-- Listings that may be the same thing listed twice: at the same address, or with much the same title in the same
-- city.
create function public.possible_duplicates(p_id uuid)
returns table (
    id uuid, slug text, title text, address text, locality text, city text, status public.property_status,
    owner_name text, same_address boolean, likeness real
)
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_column
declare
    it public.properties;
begin
    perform private.assert_admin();
    select p.* into it from public.properties as p where p.id = possible_duplicates.p_id;
    return query
    select
        p.id, p.slug, p.title, p.address, p.locality, p.city, p.status, o.full_name,
        coalesce(lower(trim(p.address)) = lower(trim(it.address)), false),
        coalesce(extensions.similarity(p.title, it.title), 0)::real
    from public.properties as p
    join public.profiles as o on o.id = p.owner_id
    where p.id <> it.id and p.city = it.city and p.status <> 'draft'
        and (
            lower(trim(p.address)) = lower(trim(it.address)) and p.locality = it.locality
            or extensions.similarity(p.title, it.title) >= 0.6
        )
    order by 9 desc, 10 desc, p.created_at
    limit 5;
end
$$;
revoke execute on function public.possible_duplicates(uuid) from public, anon;

-- Everything that was done, newest first, in one list.
create view public.audit_log with (security_invoker = true) as
select
    m.id, m.at, m.actor, a.full_name as actor_name, 'moderate' as action, 'property' as subject_type,
    m.property_id as subject_id, p.title as subject,
    jsonb_strip_nulls(jsonb_build_object('from', m."from", 'to', m."to", 'reason', m.reason)) as details
from public.moderation_events as m
join public.properties as p on p.id = m.property_id
left join public.profiles as a on a.id = m.actor
where (select public.is_admin())
union all
select e.id, e.at, e.actor, a.full_name, e.action, e.subject_type, e.subject_id, e.subject, e.details
from public.admin_events as e
left join public.profiles as a on a.id = e.actor
where (select public.is_admin());
revoke all on public.audit_log from anon, authenticated;
grant select on public.audit_log to authenticated;
