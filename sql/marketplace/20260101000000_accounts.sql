-- Who is who: the people behind the accounts, and the one test that makes somebody an administrator.

create extension if not exists pg_trgm with schema extensions;

-- Helpers of triggers and policies. This schema is not served by the API.
create schema if not exists private;
grant usage on schema private to anon, authenticated, service_role;

create function private.touch_updated_at() returns trigger language plpgsql set search_path = '' as $$
begin
    new.updated_at := now();
    return new;
end
$$;

-- `app_metadata` is written by SQL or with the service key only; `user_metadata` belongs to the user and is
-- never asked.
create function public.is_admin() returns boolean language sql stable set search_path = '' as $$
    select coalesce((select auth.jwt()) -> 'app_metadata' ->> 'role' = 'admin', false)
$$;

-- A token outlives the loss of a right. What an administrator's function does is therefore also asked of the
-- account itself.
create function private.assert_admin() returns void language plpgsql stable security definer set search_path = '' as $$
begin
    if coalesce(auth.role(), '') = 'service_role' then
        return;
    end if;
    if not public.is_admin() or not exists (
        select from auth.users
        where id = auth.uid() and raw_app_meta_data ->> 'role' = 'admin'
    ) then
        raise insufficient_privilege using message = 'Only administrators may do this.';
    end if;
end
$$;
revoke execute on function private.assert_admin() from public;
grant execute on function private.assert_admin() to authenticated, service_role;

create type public.user_type as enum ('buyer', 'seller', 'owner', 'broker');
create type public.locale as enum ('en', 'hi', 'ta');

create table public.profiles (
    id uuid primary key references auth.users (id) on delete cascade,
    full_name text not null default '' check (char_length(full_name) <= 200),
    phone text check (phone ~ '^\+[1-9][0-9]{6,14}$'),
    email text check (char_length(email) <= 255),
    avatar_url text check (char_length(avatar_url) <= 2000),
    company text check (char_length(company) <= 200),
    user_type public.user_type,
    city text check (char_length(city) <= 100),
    locale public.locale not null default 'en',
    marketing_opt_in boolean not null default false,
    phone_verified boolean not null default false,
    verified_buyer boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create trigger profiles_touch before update on public.profiles
for each row execute function private.touch_updated_at();

-- Signing up must not fail for a long or odd name, so everything is cut to what the columns hold.
create function private.create_profile() returns trigger language plpgsql security definer set search_path = '' as $$
begin
    insert into public.profiles (id, full_name, phone, email, phone_verified)
    values (
        new.id,
        left(coalesce(new.raw_user_meta_data ->> 'full_name', ''), 200),
        case when new.phone ~ '^[1-9][0-9]{6,14}$' then '+' || new.phone end,
        left(nullif(new.email, ''), 255),
        new.phone_confirmed_at is not null
    )
    on conflict (id) do nothing;
    return null;
end
$$;
revoke execute on function private.create_profile() from public;

-- The address and the verified number follow the account. A number the user typed into the profile is kept
-- until the account itself has one.
create function private.sync_profile() returns trigger language plpgsql security definer set search_path = '' as $$
begin
    update public.profiles
    set email = left(nullif(new.email, ''), 255),
        phone = case when new.phone ~ '^[1-9][0-9]{6,14}$' then '+' || new.phone else phone end,
        phone_verified = new.phone_confirmed_at is not null
    where id = new.id;
    return null;
end
$$;
revoke execute on function private.sync_profile() from public;

create trigger create_profile after insert on auth.users
for each row execute function private.create_profile();

create trigger sync_profile after update of email, phone, phone_confirmed_at on auth.users
for each row
when (
    (old.email, old.phone, old.phone_confirmed_at) is distinct from (new.email, new.phone, new.phone_confirmed_at)
)
execute function private.sync_profile();

-- A number changed by hand has not been verified.
create function private.unverify_changed_phone() returns trigger language plpgsql set search_path = '' as $$
begin
    if current_user = 'authenticated' and new.phone is distinct from old.phone then
        new.phone_verified := false;
    end if;
    return new;
end
$$;

create trigger profiles_unverify_changed_phone before update of phone on public.profiles
for each row execute function private.unverify_changed_phone();

alter table public.profiles enable row level security;
revoke all on public.profiles from anon, authenticated;
-- Without a policy an anonymous count is zero rather than an error, which is what the connection check needs.
grant select on public.profiles to anon, authenticated;
grant update (full_name, phone, avatar_url, company, user_type, city, locale, marketing_opt_in)
on public.profiles to authenticated;

create policy "own profile is readable" on public.profiles for select to authenticated
using (id = (select auth.uid()) or (select public.is_admin()));

create policy "own profile is editable" on public.profiles for update to authenticated
using (id = (select auth.uid())) with check (id = (select auth.uid()));

-- An administrator's statement about a buyer; the column itself is out of reach of every token.
create function public.set_verified_buyer(user_id uuid, verified boolean) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
    perform private.assert_admin();
    update public.profiles
    set verified_buyer = set_verified_buyer.verified
    where id = set_verified_buyer.user_id;
    return found;
end
$$;
revoke execute on function public.set_verified_buyer(uuid, boolean) from public, anon;
