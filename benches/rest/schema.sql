-- What the REST service is measured on: places with their offers and pictures, hidden in part by row-level security.
create extension pg_trgm;
create role anon nologin;
create role authenticated nologin;
create role service_role nologin bypassrls;
create role authenticator login noinherit password 'bench';
grant anon, authenticated, service_role to authenticator;

create table places (
  id uuid primary key default gen_random_uuid(),
  slug text not null unique,
  name text not null,
  description text,
  city text not null,
  address text,
  active boolean not null default true,
  featured boolean not null default false,
  rating numeric(2, 1),
  amenities jsonb not null default '[]',
  hours jsonb not null default '{}',
  created_at timestamptz not null default now()
);
create table offers (
  id uuid primary key default gen_random_uuid(),
  place_id uuid not null references places on delete cascade,
  kind text not null,
  price integer,
  seats integer
);
create table pictures (
  id uuid primary key default gen_random_uuid(),
  place_id uuid not null references places on delete cascade,
  url text not null,
  position integer not null
);
create table enquiries (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  email text not null,
  message text,
  seats integer,
  status text not null default 'new',
  created_at timestamptz not null default now()
);
create function add(a integer, b integer) returns integer language sql immutable as 'select a + b';

select setseed(0.25);
insert into places (slug, name, description, city, address, active, featured, rating, amenities, hours, created_at)
select 'place-' || n,
       'Workspace ' || n,
       repeat('Desks by the window, rooms to meet in, the metro close by. ', 3),
       (array['Chennai', 'Bengaluru', 'Mumbai', 'Pune', 'Hyderabad', 'Delhi', 'Gurugram', 'Noida', 'Kochi', 'Jaipur',
              'Ahmedabad', 'Kolkata', 'Indore', 'Surat', 'Panaji', 'Coimbatore', 'Mysuru', 'Nagpur', 'Lucknow',
              'Madurai'])[1 + floor(random() * 20)::integer],
       n % 300 || ', Main Road',
       random() < 0.95,
       random() < 0.1,
       round((3 + random() * 2)::numeric, 1),
       '["wifi", "coffee", "parking", "printer", "lounge", "pantry"]',
       '{"mon_fri": "08:00-21:00", "sat": "09:00-18:00", "sun": null}',
       timestamptz '2025-01-01' + random() * interval '600 days'
from generate_series(1, 50000) n;
insert into offers (place_id, kind, price, seats)
select id, kind, 2000 + floor(random() * 20000), 1 + floor(random() * 40)
from places, unnest(array['hot_desk', 'dedicated_desk', 'private_office', 'meeting_room', 'virtual_office']) kind;
insert into pictures (place_id, url, position)
select id, 'https://cdn.example.test/storage/v1/object/public/places/' || slug || '/' || position || '.jpg', position
from places, generate_series(1, 4) position;

create index on places (featured desc, created_at desc);
create index on places (city, featured desc, created_at desc);
create index on places using gin (city gin_trgm_ops);
create index on offers (place_id);
create index on pictures (place_id);

alter table places enable row level security;
alter table offers enable row level security;
alter table pictures enable row level security;
alter table enquiries enable row level security;
create policy shown on places for select using (active);
create policy shown on offers for select using (true);
create policy shown on pictures for select using (true);
create policy ask on enquiries for insert with check (true);
create policy answered on enquiries for select using (true);
grant usage on schema public to anon, authenticated, service_role;
grant select on places, offers, pictures to anon;
grant select, insert on enquiries to anon;
vacuum analyze;
checkpoint;
