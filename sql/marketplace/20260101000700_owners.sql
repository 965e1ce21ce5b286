-- What the owner's side of the marketplace keeps besides the listings themselves.

-- How people want to be told. Being told in the browser needs no consent, because it ends with the page.
alter table public.profiles
    add column enquiry_mail boolean not null default true,
    add column enquiry_sms boolean not null default false;
grant update (enquiry_mail, enquiry_sms) on public.profiles to authenticated;

-- A wish to be forgotten; somebody carries it out, because a listing may be part of a contract.
create table public.account_deletions (
    user_id uuid primary key default auth.uid() references auth.users (id) on delete cascade,
    reason text check (char_length(reason) <= 500),
    created_at timestamptz not null default now()
);
alter table public.account_deletions enable row level security;
revoke all on public.account_deletions from anon, authenticated;
grant select, insert, delete on public.account_deletions to authenticated;
create policy "own wish to be forgotten" on public.account_deletions for select to authenticated
using (user_id = (select auth.uid()) or (select public.is_admin()));
create policy "people ask for themselves" on public.account_deletions for insert to authenticated
with check (user_id = (select auth.uid()));
create policy "people take it back" on public.account_deletions for delete to authenticated
using (user_id = (select auth.uid()));

-- The contact of an owner whom the caller has asked: what `contact_owner` said once, without asking again.
create function public.contacted_owners()
returns table (property_id uuid, owner_name text, owner_phone text, owner_email text)
language sql stable security definer set search_path = '' as $$
    select distinct on (e.property_id) e.property_id, o.full_name, o.phone, o.email
    from public.enquiries as e
    join public.profiles as o on o.id = e.owner_id
    where e.sender_id = (select auth.uid())
    order by e.property_id
$$;
revoke execute on function public.contacted_owners() from public, anon;
grant execute on function public.contacted_owners() to authenticated;

-- A message is delivered at least once; this says that it was, so that nobody is told twice.
alter table public.enquiries add column notified_at timestamptz;

-- The sender of a contact message as a keyed hash of the address it came from: enough to count, not to know who.
alter table public.contact_messages add column sender_hash text check (char_length(sender_hash) <= 64);
create index contact_messages_sender on public.contact_messages (sender_hash, created_at desc);

-- Takes a message of the contact form, at most five an hour from one sender. Null when there were five.
create function public.take_contact_message(
    name text, email text, phone text, subject text, message text, sender_hash text
) returns uuid language plpgsql security definer set search_path = '' as $$
declare
    taken uuid;
begin
    perform pg_advisory_xact_lock(hashtextextended('contact:' || take_contact_message.sender_hash, 0));
    if (
        select count(*) from public.contact_messages as m
        where m.sender_hash = take_contact_message.sender_hash and m.created_at > now() - interval '1 hour'
    ) >= 5 then
        return null;
    end if;
    insert into public.contact_messages (name, email, phone, subject, message, sender_hash)
    values (
        take_contact_message.name, take_contact_message.email, nullif(take_contact_message.phone, ''),
        nullif(take_contact_message.subject, ''), take_contact_message.message, take_contact_message.sender_hash
    )
    returning id into taken;
    return taken;
end
$$;
revoke execute on function public.take_contact_message(text, text, text, text, text, text)
from public, anon, authenticated;
grant execute on function public.take_contact_message(text, text, text, text, text, text) to service_role;

-- Where the functions are and the key that calls them. Nobody but the functions of this schema reads it.
create table private.settings (
    name text primary key,
    value text not null
);
alter table private.settings enable row level security;
revoke all on private.settings from public, anon, authenticated, service_role;

-- Has a function called, after the commit. Does nothing where there is no way to send.
create function private.call_function(name text, body jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
    url text := (select s.value from private.settings as s where s.name = 'functions_url');
    key text := (select s.value from private.settings as s where s.name = 'service_role_key');
begin
    if url is null or key is null or to_regnamespace('net') is null then
        return;
    end if;
    -- Spelt as text, because the schema may come later than this.
    execute 'select net.http_post(url := $1, body := $2, headers := $3)'
    using
        url || '/' || call_function.name,
        call_function.body,
        jsonb_build_object('content-type', 'application/json', 'authorization', 'Bearer ' || key, 'apikey', key);
end
$$;
revoke execute on function private.call_function(text, jsonb) from public;

-- Has the owner told of a new question. An enquiry must not fail because nobody can be told of it, so without
-- a way to send it stays at what the owner sees in the browser.
create function private.tell_enquiry() returns trigger language plpgsql security definer set search_path = '' as $$
begin
    perform private.call_function('enquiry-notify', jsonb_build_object(
        'type', tg_op, 'schema', tg_table_schema, 'table', tg_table_name, 'record', to_jsonb(new)));
    return null;
exception when others then
    raise warning 'nobody is told of an enquiry: %', sqlerrm;
    return null;
end
$$;
revoke execute on function private.tell_enquiry() from public;
create trigger tell_enquiry after insert on public.enquiries
for each row execute function private.tell_enquiry();

-- Who asked for it hears of what is new in a kept search, every quarter of an hour where there is a clock.
do $$
begin
    if to_regprocedure('cron.schedule(text, text, text)') is not null then
        execute 'select cron.schedule($1, $2, $3)'
        using 'saved-search-alerts', '*/15 * * * *', 'select private.call_function(''saved-search-alerts'', ''{}'')';
    end if;
end
$$;
