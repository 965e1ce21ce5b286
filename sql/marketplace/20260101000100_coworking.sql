-- Co-working spaces, what each of them offers, and their pictures.

create type public.coworking_offering as enum (
    'day_pass', 'meeting_room', 'dedicated_desk', 'private_office', 'virtual_office'
);

create table public.coworking_space (
    id uuid primary key default gen_random_uuid(),
    slug text not null unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 160),
    name text not null check (char_length(name) between 2 and 160),
    address text not null check (char_length(address) <= 300),
    locality text not null check (char_length(locality) <= 100),
    sub_locality text check (char_length(sub_locality) <= 100),
    city text not null check (char_length(city) <= 100),
    state text not null check (char_length(state) <= 100),
    description text check (char_length(description) <= 5000),
    image_url text check (char_length(image_url) <= 2000),
    website_url text check (website_url ~ '^https?://' and char_length(website_url) <= 2000),
    booking_phone text check (booking_phone ~ '^\+[1-9][0-9]{6,14}$'),
    booking_email text check (booking_email like '%_@_%' and char_length(booking_email) <= 255),
    active boolean not null default true,
    paid_listing boolean not null default false,
    -- {lat,lng}, {latitude,longitude}, or a JSON string of one of them: the sources differ, the readers know.
    coordinates jsonb check (jsonb_typeof(coordinates) in ('object', 'string')),
    amenities jsonb not null default '{}' check (jsonb_typeof(amenities) = 'object'),
    opening_hours jsonb not null default '{}' check (jsonb_typeof(opening_hours) = 'object'),
    min_price numeric(12, 2) check (min_price > 0),
    max_price numeric(12, 2) check (max_price >= min_price),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create table public.coworking_offering_type (
    id uuid primary key default gen_random_uuid(),
    coworking_space_id uuid not null references public.coworking_space (id) on delete cascade,
    offering_type public.coworking_offering not null,
    price_from numeric(12, 2) check (price_from > 0),
    capacity integer check (capacity between 1 and 10000),
    description text check (char_length(description) <= 1000),
    available boolean not null default true,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (coworking_space_id, offering_type)
);

create table public.coworking_space_images (
    id uuid primary key default gen_random_uuid(),
    coworking_space_id uuid not null references public.coworking_space (id) on delete cascade,
    url text not null check (char_length(url) <= 2000),
    "order" integer not null default 0,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create index coworking_space_listing on public.coworking_space (active, paid_listing desc, created_at desc);
create index coworking_space_city on public.coworking_space using gin (city extensions.gin_trgm_ops);
create index coworking_space_images_space on public.coworking_space_images (coworking_space_id, "order");

create trigger coworking_space_touch before update on public.coworking_space
for each row execute function private.touch_updated_at();
create trigger coworking_offering_type_touch before update on public.coworking_offering_type
for each row execute function private.touch_updated_at();
create trigger coworking_space_images_touch before update on public.coworking_space_images
for each row execute function private.touch_updated_at();

alter table public.coworking_space enable row level security;
alter table public.coworking_offering_type enable row level security;
alter table public.coworking_space_images enable row level security;

revoke all on public.coworking_space, public.coworking_offering_type, public.coworking_space_images
from anon, authenticated;
grant select on public.coworking_space, public.coworking_offering_type, public.coworking_space_images to anon;
grant select, insert, update, delete
on public.coworking_space, public.coworking_offering_type, public.coworking_space_images to authenticated;

create policy "active spaces are public" on public.coworking_space for select to anon, authenticated
using (active);
create policy "administrators manage spaces" on public.coworking_space for all to authenticated
using ((select public.is_admin())) with check ((select public.is_admin()));

-- The inner select is itself subject to the policy above, so the two cannot drift apart.
create policy "available offerings of active spaces are public" on public.coworking_offering_type
for select to anon, authenticated
using (available and coworking_space_id in (select s.id from public.coworking_space as s where s.active));
create policy "administrators manage offerings" on public.coworking_offering_type for all to authenticated
using ((select public.is_admin())) with check ((select public.is_admin()));

create policy "images of active spaces are public" on public.coworking_space_images for select to anon, authenticated
using (coworking_space_id in (select s.id from public.coworking_space as s where s.active));
create policy "administrators manage space images" on public.coworking_space_images for all to authenticated
using ((select public.is_admin())) with check ((select public.is_admin()));
