-- What people do with listings: keep, look at, ask about, report; and what administrators decided.
-- People are referenced in `auth.users` wherever a second path from a listing to `profiles` would make the
-- owner's embed ambiguous.

create type public.enquiry_status as enum ('new', 'read', 'responded', 'closed', 'spam');
create type public.enquiry_intent as enum ('info', 'visit', 'price');
create type public.search_alert as enum ('off', 'daily', 'instant');

create table public.shortlists (
    user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
    property_id uuid not null references public.properties (id) on delete cascade,
    note text check (char_length(note) <= 500),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (user_id, property_id)
);
create index shortlists_property on public.shortlists (property_id);
create index shortlists_newest on public.shortlists (user_id, created_at desc);

create table public.property_views (
    user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
    property_id uuid not null references public.properties (id) on delete cascade,
    last_viewed_at timestamptz not null default now(),
    times integer not null default 1 check (times > 0),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (user_id, property_id)
);
create index property_views_property on public.property_views (property_id);
create index property_views_newest on public.property_views (user_id, last_viewed_at desc);

create table public.enquiries (
    id uuid primary key default gen_random_uuid(),
    property_id uuid not null references public.properties (id) on delete cascade,
    sender_id uuid not null default auth.uid() references public.profiles (id) on delete cascade,
    owner_id uuid not null references public.profiles (id) on delete cascade,
    name text not null check (char_length(name) between 1 and 200),
    phone text check (phone ~ '^\+[1-9][0-9]{6,14}$'),
    email text check (email like '%_@_%' and char_length(email) <= 255),
    message text not null check (char_length(message) between 10 and 2000),
    intent public.enquiry_intent not null default 'info',
    preferred_time text check (char_length(preferred_time) <= 100),
    status public.enquiry_status not null default 'new',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    responded_at timestamptz
);
create index enquiries_owner on public.enquiries (owner_id, created_at desc);
create index enquiries_sender on public.enquiries (sender_id, created_at desc);
create index enquiries_property on public.enquiries (property_id, sender_id);

create table public.saved_searches (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
    name text not null check (char_length(name) between 1 and 120),
    query jsonb not null check (jsonb_typeof(query) = 'object' and pg_column_size(query) <= 8192),
    alert public.search_alert not null default 'off',
    last_notified_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);
create index saved_searches_user on public.saved_searches (user_id, created_at desc);

create table public.contact_messages (
    id uuid primary key default gen_random_uuid(),
    name text not null check (char_length(name) between 1 and 200),
    email text not null check (email like '%_@_%' and char_length(email) <= 255),
    phone text check (char_length(phone) <= 40),
    subject text check (char_length(subject) <= 200),
    message text not null check (char_length(message) between 1 and 5000),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);
create index contact_messages_newest on public.contact_messages (created_at desc);

create table public.reports (
    id uuid primary key default gen_random_uuid(),
    property_id uuid not null references public.properties (id) on delete cascade,
    reporter uuid not null default auth.uid() references auth.users (id) on delete cascade,
    reason text not null check (char_length(reason) between 3 and 200),
    details text check (char_length(details) <= 2000),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);
create index reports_property on public.reports (property_id);
create index reports_reporter on public.reports (reporter);

create table public.moderation_events (
    id uuid primary key default gen_random_uuid(),
    property_id uuid not null references public.properties (id) on delete cascade,
    actor uuid references auth.users (id) on delete set null,
    "from" public.property_status,
    "to" public.property_status not null,
    reason text,
    at timestamptz not null default now()
);
create index moderation_events_property on public.moderation_events (property_id, at desc);
create index moderation_events_actor on public.moderation_events (actor);

-- Distinct viewers of a day, counted without keeping who they were longer than the day needs.
create table private.daily_viewers (
    property_id uuid not null references public.properties (id) on delete cascade,
    day date not null,
    viewer uuid not null,
    primary key (property_id, day, viewer)
);

create trigger shortlists_touch before update on public.shortlists
for each row execute function private.touch_updated_at();
create trigger property_views_touch before update on public.property_views
for each row execute function private.touch_updated_at();
create trigger saved_searches_touch before update on public.saved_searches
for each row execute function private.touch_updated_at();

create function private.record_moderation() returns trigger language plpgsql security definer set search_path = '' as $$
begin
    insert into public.moderation_events (property_id, actor, "from", "to", reason)
    values (new.id, auth.uid(), old.status, new.status, new.rejected_reason);
    return null;
end
$$;
revoke execute on function private.record_moderation() from public;
create trigger record_moderation after update on public.properties
for each row when (old.status is distinct from new.status) execute function private.record_moderation();

-- The owner is copied from the listing, so a sender cannot choose who reads the message.
create function private.guard_enquiry() returns trigger language plpgsql security definer set search_path = '' as $$
declare
    listing public.properties;
begin
    if tg_op = 'UPDATE' then
        if (new.id, new.property_id, new.sender_id, new.owner_id, new.created_at)
            is distinct from (old.id, old.property_id, old.sender_id, old.owner_id, old.created_at) then
            raise check_violation using message = 'Only the status of an enquiry can be changed.';
        end if;
        new.updated_at := now();
        if new.status = 'responded' and old.status <> 'responded' then
            new.responded_at := now();
        end if;
        return new;
    end if;

    select * into listing from public.properties where id = new.property_id;
    new.owner_id := listing.owner_id;
    -- Seeds and services come without a token.
    if auth.uid() is null or auth.role() = 'service_role' then
        return new;
    end if;
    if listing.id is null or listing.status <> 'active' or listing.expires_at <= now() then
        raise check_violation using message = 'This listing is not open for enquiries.';
    end if;
    if listing.owner_id = new.sender_id then
        raise check_violation using message = 'You cannot send an enquiry about your own listing.';
    end if;
    new.status := 'new';
    new.responded_at := null;
    new.created_at := now();
    perform pg_advisory_xact_lock(hashtextextended('enquiries:' || new.sender_id::text, 0));
    if (
        select count(*) from public.enquiries
        where sender_id = new.sender_id and created_at > now() - interval '1 day'
    ) >= 20 then
        raise check_violation using message = 'You can send at most 20 enquiries a day.';
    end if;
    return new;
end
$$;
revoke execute on function private.guard_enquiry() from public;
create trigger guard_enquiry before insert or update on public.enquiries
for each row execute function private.guard_enquiry();

create function private.count_enquiry() returns trigger language plpgsql security definer set search_path = '' as $$
begin
    update public.properties set enquiry_count = enquiry_count + 1 where id = new.property_id;
    return null;
end
$$;
revoke execute on function private.count_enquiry() from public;
create trigger count_enquiry after insert on public.enquiries
for each row execute function private.count_enquiry();

alter table public.shortlists enable row level security;
alter table public.property_views enable row level security;
alter table public.enquiries enable row level security;
alter table public.saved_searches enable row level security;
alter table public.contact_messages enable row level security;
alter table public.reports enable row level security;
alter table public.moderation_events enable row level security;
alter table private.daily_viewers enable row level security;

revoke all on
    public.shortlists, public.property_views, public.enquiries, public.saved_searches, public.contact_messages,
    public.reports, public.moderation_events
from anon, authenticated;
grant select, insert, update, delete on public.shortlists, public.property_views, public.saved_searches
to authenticated;
grant select, insert, delete on public.enquiries to authenticated;
grant update (status) on public.enquiries to authenticated;
grant select on public.contact_messages, public.moderation_events to authenticated;
grant select, insert on public.reports to authenticated;

create policy "own shortlist" on public.shortlists for all to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy "own views" on public.property_views for all to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy "own searches" on public.saved_searches for all to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "both sides read an enquiry" on public.enquiries for select to authenticated
using (sender_id = (select auth.uid()) or owner_id = (select auth.uid()));
create policy "senders ask in their own name" on public.enquiries for insert to authenticated
with check (sender_id = (select auth.uid()) and owner_id <> (select auth.uid()));
create policy "owners answer" on public.enquiries for update to authenticated
using (owner_id = (select auth.uid())) with check (owner_id = (select auth.uid()));
create policy "administrators manage enquiries" on public.enquiries for all to authenticated
using ((select public.is_admin())) with check ((select public.is_admin()));

create policy "administrators read messages" on public.contact_messages for select to authenticated
using ((select public.is_admin()));

create policy "anybody signed in may report" on public.reports for insert to authenticated
with check (reporter = (select auth.uid()));
create policy "administrators read reports" on public.reports for select to authenticated
using ((select public.is_admin()));

create policy "owners follow the review of their listings" on public.moderation_events for select to authenticated
using (
    (select public.is_admin())
    or exists (select from public.properties as p where p.id = property_id and p.owner_id = (select auth.uid()))
);

alter publication supabase_realtime add table public.enquiries;

-- Looks at a listing: once per person in their history, and once per person and day in the listing's counter.
create function public.record_view(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
    if auth.uid() is null or not exists (
        select from public.properties as p
        where p.id = record_view.p_id and p.status = 'active' and p.expires_at > now() and p.owner_id <> auth.uid()
    ) then
        return;
    end if;
    insert into public.property_views as v (user_id, property_id)
    values (auth.uid(), record_view.p_id)
    on conflict (user_id, property_id) do update set last_viewed_at = now(), times = v.times + 1;

    delete from private.daily_viewers as d where d.property_id = record_view.p_id and d.day < current_date - 1;
    insert into private.daily_viewers (property_id, day, viewer)
    values (record_view.p_id, current_date, auth.uid())
    on conflict do nothing;
    if found then
        update public.properties as p set view_count = p.view_count + 1 where p.id = record_view.p_id;
    end if;
end
$$;
revoke execute on function public.record_view(uuid) from public, anon;

-- Hands out the owner's contact in exchange for an enquiry. Asking again within a day gives the same answer
-- and sends nothing.
create function public.contact_owner(property_id uuid, name text, phone text, message text)
returns table (owner_name text, owner_phone text, owner_email text)
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
    me uuid := auth.uid();
begin
    if me is null then
        raise insufficient_privilege using message = 'Please sign in to continue.';
    end if;
    if not exists (
        select from public.enquiries as e
        where e.property_id = contact_owner.property_id and e.sender_id = me
            and e.created_at > now() - interval '24 hours'
    ) then
        insert into public.enquiries (property_id, sender_id, name, phone, email, message)
        select contact_owner.property_id, me, contact_owner.name, nullif(contact_owner.phone, ''), p.email,
            contact_owner.message
        from public.profiles as p
        where p.id = me;
    end if;
    return query
    select o.full_name, o.phone, o.email
    from public.properties as p
    join public.profiles as o on o.id = p.owner_id
    where p.id = contact_owner.property_id;
end
$$;
revoke execute on function public.contact_owner(uuid, text, text, text) from public, anon;

-- What everybody may know about who lists: never a number or an address.
create function public.owner_card(p_id uuid)
returns table (owner_id uuid, name text, company text, avatar_url text, verified boolean, listing_count bigint)
language sql stable security definer set search_path = '' as $$
    select
        o.id, o.full_name, o.company, o.avatar_url, o.phone_verified,
        (
            select count(*) from public.properties as mine
            where mine.owner_id = o.id and mine.status = 'active' and mine.expires_at > now()
        )
    from public.properties as p
    join public.profiles as o on o.id = p.owner_id
    where p.id = owner_card.p_id and p.status = 'active' and p.expires_at > now()
$$;

-- An administrator's decision about a submitted listing.
create function public.moderate(p_id uuid, "to" public.property_status, reason text default null)
returns public.property_status language plpgsql security definer set search_path = '' as $$
declare
    before public.property_status;
begin
    perform private.assert_admin();
    select p.status into before from public.properties as p where p.id = moderate.p_id for update;
    if before is null then
        raise no_data_found using message = 'There is no such listing.';
    end if;
    if not (
        before = 'pending' and moderate."to" in ('active', 'rejected')
        or before <> 'archived' and moderate."to" = 'archived'
    ) then
        raise check_violation using message = format('A listing cannot go from %s to %s.', before, moderate."to");
    end if;
    update public.properties as p
    set status = moderate."to",
        rejected_reason = case when moderate."to" = 'rejected' then moderate.reason else p.rejected_reason end,
        reviewed_by = auth.uid(),
        reviewed_at = now()
    where p.id = moderate.p_id;
    return moderate."to";
end
$$;
revoke execute on function public.moderate(uuid, public.property_status, text) from public, anon;
