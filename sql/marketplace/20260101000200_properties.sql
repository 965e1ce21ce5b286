-- Commercial property: the listing, its pictures, and the way from a draft to a public page.

create type public.property_type as enum ('office', 'retail', 'warehouse', 'industrial', 'mixed_use');
create type public.listing_intent as enum ('sale', 'lease');
create type public.property_status as enum ('draft', 'pending', 'active', 'rejected', 'archived');
create type public.furnishing as enum ('unfurnished', 'semi_furnished', 'furnished', 'plug_and_play');
create type public.building_grade as enum ('a_plus', 'a', 'b', 'c');
create type public.possession as enum ('ready', 'under_construction');
create type public.ownership as enum ('freehold', 'leasehold', 'co_operative', 'power_of_attorney');
create type public.air_conditioning as enum ('none', 'split', 'central');
create type public.location_precision as enum ('exact', 'locality');

create function private.property_words(title text, locality text, city text, sub_type text, description text)
returns tsvector language sql immutable parallel safe set search_path = '' as $$
    select
        setweight(to_tsvector('pg_catalog.english', coalesce(title, '')), 'A')
        || setweight(to_tsvector('pg_catalog.simple', coalesce(title, '')), 'A')
        || setweight(to_tsvector('pg_catalog.simple', concat_ws(' ', locality, city, replace(sub_type, '_', ' '))), 'B')
        || setweight(to_tsvector('pg_catalog.english', coalesce(description, '')), 'C')
$$;

-- A draft is saved after the first step of the form, so nearly everything may be missing until it is submitted;
-- what is there must be plausible at any time.
create table public.properties (
    id uuid primary key default gen_random_uuid(),
    slug text not null unique,
    owner_id uuid not null references public.profiles (id) on delete cascade,
    status public.property_status not null default 'draft',
    intent public.listing_intent not null,
    property_type public.property_type not null,
    sub_type text,

    title text check (char_length(title) <= 120),
    description text check (char_length(description) <= 5000),

    -- Rupees; the whole price for a sale, the month's rent for a lease. Missing means "on request".
    price numeric(14, 2) check (price > 0),
    price_negotiable boolean not null default false,
    maintenance_monthly numeric(14, 2) check (maintenance_monthly > 0),
    security_deposit_months smallint check (security_deposit_months between 0 and 36),
    lock_in_months smallint check (lock_in_months between 0 and 120),
    lease_term_months smallint check (lease_term_months between 1 and 1200),
    escalation_pct numeric(4, 1) check (escalation_pct between 0 and 30),
    gst_extra boolean not null default false,

    -- Square feet.
    carpet_area numeric(12, 2) check (carpet_area > 0),
    built_up_area numeric(12, 2) check (built_up_area > 0),
    super_built_up_area numeric(12, 2) check (super_built_up_area > 0),
    plot_area numeric(12, 2) check (plot_area > 0),
    price_per_sqft numeric(14, 2) generated always as (
        round(price / coalesce(carpet_area, built_up_area, plot_area), 2)
    ) stored,
    total_floors smallint check (total_floors between 0 and 200),
    floor_number smallint check (floor_number between -5 and 200),
    property_age_years smallint check (property_age_years between 0 and 200),
    balconies smallint check (balconies between 0 and 20),

    furnishing public.furnishing,
    seats integer check (seats between 0 and 100000),
    cabins smallint check (cabins between 0 and 1000),
    meeting_rooms smallint check (meeting_rooms between 0 and 1000),
    washrooms smallint check (washrooms between 0 and 1000),
    pantry boolean,
    parking_covered smallint check (parking_covered between 0 and 10000),
    parking_open smallint check (parking_open between 0 and 10000),
    lifts smallint check (lifts between 0 and 200),
    power_load_kva numeric(10, 2) check (power_load_kva >= 0),
    power_backup boolean,
    air_conditioning public.air_conditioning,
    building_grade public.building_grade,
    facing text check (
        facing in ('north', 'north_east', 'east', 'south_east', 'south', 'south_west', 'west', 'north_west')
    ),
    amenities jsonb not null default '{}' check (jsonb_typeof(amenities) = 'object'),

    clear_height_ft numeric(6, 2) check (clear_height_ft > 0),
    dock_doors smallint check (dock_doors between 0 and 1000),
    floor_load_t_per_sqm numeric(6, 2) check (floor_load_t_per_sqm > 0),
    truck_access_ft numeric(6, 2) check (truck_access_ft > 0),
    crane_ton numeric(6, 2) check (crane_ton >= 0),
    fire_noc boolean,
    frontage_ft numeric(8, 2) check (frontage_ft > 0),
    corner boolean,
    ground_floor boolean,

    rera_number text check (rera_number ~ '^[A-Za-z0-9/_-]{6,40}$'),
    rera_url text check (rera_url ~ '^https?://' and char_length(rera_url) <= 2000),
    ownership public.ownership,
    possession public.possession,
    available_from date,
    occupied boolean not null default false,
    current_rent numeric(14, 2) check (current_rent > 0),
    tenant_lease_end date,

    address text check (char_length(address) <= 300),
    locality text check (char_length(locality) <= 100),
    sub_locality text check (char_length(sub_locality) <= 100),
    city text check (char_length(city) <= 100),
    state text check (state in (
        'Andhra Pradesh', 'Arunachal Pradesh', 'Assam', 'Bihar', 'Chhattisgarh', 'Goa', 'Gujarat', 'Haryana',
        'Himachal Pradesh', 'Jharkhand', 'Karnataka', 'Kerala', 'Madhya Pradesh', 'Maharashtra', 'Manipur',
        'Meghalaya', 'Mizoram', 'Nagaland', 'Odisha', 'Punjab', 'Rajasthan', 'Sikkim', 'Tamil Nadu', 'Telangana',
        'Tripura', 'Uttar Pradesh', 'Uttarakhand', 'West Bengal', 'Andaman and Nicobar Islands', 'Chandigarh',
        'Dadra and Nagar Haveli and Daman and Diu', 'Delhi', 'Jammu and Kashmir', 'Ladakh', 'Lakshadweep',
        'Puducherry'
    )),
    pincode text check (pincode ~ '^[1-9][0-9]{5}$'),
    lat double precision check (lat between 6 and 38),
    lng double precision check (lng between 68 and 98),
    location_precision public.location_precision not null default 'exact',

    submitted_at timestamptz,
    published_at timestamptz,
    rejected_reason text check (char_length(rejected_reason) between 10 and 1000),
    -- No foreign key into profiles: an embed of `profiles` means the owner.
    reviewed_by uuid references auth.users (id) on delete set null,
    reviewed_at timestamptz,
    expires_at timestamptz,
    featured boolean not null default false,
    verified boolean not null default false,
    view_count integer not null default 0,
    enquiry_count integer not null default 0,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),

    fts tsvector generated always as (
        private.property_words(title, locality, city, sub_type, description)
    ) stored,

    constraint properties_areas_nest check (built_up_area >= carpet_area),
    constraint properties_floor_in_building check (floor_number <= total_floors),
    constraint properties_rejection_has_reason check (status <> 'rejected' or rejected_reason is not null),
    constraint properties_sub_type_known check (
        sub_type is null
        or property_type = 'office' and sub_type in ('it_park', 'corporate', 'business_centre', 'standalone', 'sez')
        or property_type = 'retail' and sub_type in ('shop', 'showroom', 'mall', 'high_street', 'food_court', 'kiosk')
        or property_type = 'warehouse' and sub_type in ('godown', 'cold_storage', 'logistics_park', 'fulfilment_centre')
        or property_type = 'industrial' and sub_type in ('shed', 'factory', 'industrial_plot', 'workshop')
        or property_type = 'mixed_use' and sub_type in ('shop_office', 'commercial_complex', 'whole_building')
    ),
    constraint properties_complete_once_submitted check (
        status in ('draft', 'archived')
        or (
            char_length(title) >= 10
            and char_length(description) >= 30
            and coalesce(carpet_area, built_up_area, plot_area) is not null
            and address is not null and locality is not null and city is not null
            and state is not null and pincode is not null
        ) is true
    )
);

create table public.property_images (
    id uuid primary key default gen_random_uuid(),
    property_id uuid not null references public.properties (id) on delete cascade,
    path text check (char_length(path) <= 1000),
    url text not null check (char_length(url) <= 2000),
    width integer check (width between 1 and 20000),
    height integer check (height between 1 and 20000),
    alt text check (char_length(alt) <= 300),
    blurhash text check (char_length(blurhash) <= 120),
    "order" integer not null default 0,
    is_cover boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create index properties_facets on public.properties (status, property_type, intent, city);
create index properties_place on public.properties (city, locality);
create index properties_price on public.properties (price);
create index properties_carpet_area on public.properties (carpet_area);
create index properties_newest on public.properties (published_at desc) where status = 'active';
-- Carries what the policies ask, so that a count needs the index alone.
create index properties_front on public.properties (featured desc, published_at desc nulls last)
include (expires_at, owner_id) where status = 'active';
create index properties_point on public.properties (lat, lng) where status = 'active';
create index properties_owner on public.properties (owner_id, status);
create index properties_reviewer on public.properties (reviewed_by) where reviewed_by is not null;
create index properties_queue on public.properties (submitted_at) where status = 'pending';
create index properties_fts on public.properties using gin (fts);
create index properties_title_similar on public.properties using gin (title extensions.gin_trgm_ops);
create index properties_locality_similar on public.properties using gin (locality extensions.gin_trgm_ops);
create index properties_city_similar on public.properties using gin (city extensions.gin_trgm_ops);
create index properties_amenities on public.properties using gin (amenities jsonb_path_ops);
create index property_images_property on public.property_images (property_id, "order");
create unique index property_images_one_cover on public.property_images (property_id) where is_cover;

-- The first free form of a slug: the thing itself, then -2, -3, … Looks at every row, also at those the caller
-- may not see, and lets one caller at a time choose from the same base.
create function private.free_property_slug(base text, own_id uuid) returns text
language plpgsql security definer set search_path = '' as $$
declare
    candidate text := base;
    suffix integer := 1;
begin
    perform pg_advisory_xact_lock(hashtextextended('property-slug:' || base, 0));
    while exists (select from public.properties where slug = candidate and id <> own_id) loop
        suffix := suffix + 1;
        candidate := base || '-' || suffix;
    end loop;
    return candidate;
end
$$;
revoke execute on function private.free_property_slug(text, uuid) from public;
grant execute on function private.free_property_slug(text, uuid) to authenticated, service_role;

create function private.slug_base(title text, locality text, city text, property_type public.property_type)
returns text language sql immutable set search_path = '' as $$
    -- A title in another script leaves no letters; the type says at least what it is.
    select left(trim(both '-' from regexp_replace(
        lower(concat_ws(
            ' ',
            case when title ~ '[A-Za-z]{3}' then title else replace(property_type::text, '_', ' ') end,
            locality, city
        )),
        '[^a-z0-9]+', '-', 'g'
    )), 140)
$$;
grant execute on function private.slug_base(text, text, text, public.property_type) to authenticated, service_role;

-- What may become of a listing, and who may do it. Sessions of the services and the functions of
-- administrators, which check for themselves, are not held to the owner's moves.
create function private.guard_property() returns trigger language plpgsql set search_path = '' as $$
declare
    by_token boolean := current_user in ('anon', 'authenticated');
    by_admin boolean := current_user = 'authenticated' and public.is_admin();
    by_owner boolean := current_user = 'authenticated' and not public.is_admin();
    missing text;
begin
    if tg_op = 'INSERT' then
        if by_owner then
            new.featured := false;
            new.verified := false;
            new.view_count := 0;
            new.enquiry_count := 0;
            new.reviewed_by := null;
            new.reviewed_at := null;
            new.rejected_reason := null;
            new.published_at := null;
            new.expires_at := null;
            new.submitted_at := null;
        end if;
        if by_token or new.slug is null then
            new.slug := private.free_property_slug(
                private.slug_base(new.title, new.locality, new.city, new.property_type), new.id);
        end if;
    else
        if by_token and (new.id, new.created_at) is distinct from (old.id, old.created_at) then
            raise check_violation using message = 'The identity of a listing cannot be changed.';
        end if;
        if by_token and new.owner_id is distinct from old.owner_id and not by_admin then
            raise check_violation using message = 'A listing cannot be given to somebody else.';
        end if;
        if by_owner and (
            new.featured, new.verified, new.view_count, new.enquiry_count, new.reviewed_by, new.reviewed_at,
            new.rejected_reason, new.submitted_at, new.published_at, new.expires_at
        ) is distinct from (
            old.featured, old.verified, old.view_count, old.enquiry_count, old.reviewed_by, old.reviewed_at,
            old.rejected_reason, old.submitted_at, old.published_at, old.expires_at
        ) then
            raise check_violation using message =
                'Featured, verified, counters and review fields are set by the marketplace.';
        end if;

        -- What was approved is what is shown: another place, type, title or a much different price is looked
        -- at again.
        if by_owner and old.status = 'active' and new.status = 'active' and (
            (new.title, new.property_type, new.sub_type, new.intent, new.address, new.locality, new.sub_locality,
             new.city, new.state, new.pincode)
            is distinct from
            (old.title, old.property_type, old.sub_type, old.intent, old.address, old.locality, old.sub_locality,
             old.city, old.state, old.pincode)
            or (new.price is null) <> (old.price is null)
            or abs(new.price - old.price) > old.price * 0.25
        ) then
            new.status := 'pending';
        end if;

        if by_token and new.status is distinct from old.status then
            if not coalesce(
                by_owner and (old.status, new.status) in (
                    ('draft', 'pending'), ('pending', 'draft'), ('rejected', 'pending'),
                    ('active', 'archived'), ('archived', 'pending'), ('active', 'pending')
                )
                or by_admin and (
                    (old.status, new.status) in (('pending', 'active'), ('pending', 'rejected'))
                    or new.status = 'archived'
                    or new.owner_id = (select auth.uid()) and (old.status, new.status) in (
                        ('draft', 'pending'), ('pending', 'draft'), ('rejected', 'pending'), ('archived', 'pending')
                    )
                ), false)
            then
                raise check_violation using message =
                    format('A listing cannot go from %s to %s.', old.status, new.status);
            end if;
        end if;

        -- The address of a page that was public once stays.
        if by_token then
            new.slug := case
                when old.published_at is not null then old.slug
                when (new.title, new.locality, new.city, new.property_type)
                    is distinct from (old.title, old.locality, old.city, old.property_type)
                then private.free_property_slug(
                    private.slug_base(new.title, new.locality, new.city, new.property_type), new.id)
                else old.slug
            end;
        end if;
    end if;

    if new.status = 'rejected' and char_length(coalesce(new.rejected_reason, '')) < 10 then
        raise check_violation using message = 'A rejection needs a reason of at least 10 characters.';
    end if;
    if new.status not in ('draft', 'archived') then
        missing := concat_ws(', ',
            case when char_length(coalesce(new.title, '')) < 10 then 'title (at least 10 characters)' end,
            case when char_length(coalesce(new.description, '')) < 30 then 'description (at least 30 characters)' end,
            case when coalesce(new.carpet_area, new.built_up_area, new.plot_area) is null then 'area' end,
            case when new.address is null then 'address' end,
            case when new.locality is null then 'locality' end,
            case when new.city is null then 'city' end,
            case when new.state is null then 'state' end,
            case when new.pincode is null then 'pincode' end
        );
        if missing <> '' then
            raise check_violation using message = 'The listing is not complete: ' || missing || '.';
        end if;
    end if;

    if new.location_precision = 'locality' then
        -- About a kilometre: the exact point is not kept, so it cannot leak.
        new.lat := round(new.lat::numeric, 2);
        new.lng := round(new.lng::numeric, 2);
    end if;

    if new.status = 'pending' and (tg_op = 'INSERT' or old.status <> 'pending') then
        new.submitted_at := coalesce(case when tg_op = 'INSERT' then new.submitted_at end, now());
        new.rejected_reason := null;
    elsif new.status = 'active' and (tg_op = 'INSERT' or old.status <> 'active') then
        if tg_op = 'UPDATE' then
            new.published_at := now();
            new.expires_at := now() + interval '180 days';
        else
            new.published_at := coalesce(new.published_at, now());
            new.expires_at := coalesce(new.expires_at, new.published_at + interval '180 days');
        end if;
    end if;
    if by_admin and tg_op = 'UPDATE' and old.status = 'pending' and new.status in ('active', 'rejected') then
        new.reviewed_by := (select auth.uid());
        new.reviewed_at := now();
    end if;
    if tg_op = 'UPDATE' then
        -- Being looked at is not an edit.
        if (new.view_count, new.enquiry_count) is not distinct from (old.view_count, old.enquiry_count) then
            new.updated_at := now();
        end if;
    end if;
    return new;
end
$$;

create trigger guard_property before insert or update on public.properties
for each row execute function private.guard_property();

-- At most twenty pictures, and new pictures of a public listing are looked at first.
create function private.guard_property_images() returns trigger language plpgsql set search_path = '' as $$
declare
    parent uuid := case when tg_op = 'DELETE' then old.property_id else new.property_id end;
begin
    if tg_op = 'INSERT' then
        perform pg_advisory_xact_lock(hashtextextended('property-images:' || parent::text, 0));
        if (select count(*) from public.property_images where property_id = parent) > 20 then
            raise check_violation using message = 'A listing can have at most 20 images.';
        end if;
    end if;
    if current_user = 'authenticated' and not public.is_admin() then
        update public.properties set status = 'pending'
        where id = parent and status = 'active' and owner_id = (select auth.uid());
    end if;
    return null;
end
$$;

create trigger guard_property_images after insert or update or delete on public.property_images
for each row execute function private.guard_property_images();
create trigger property_images_touch before update on public.property_images
for each row execute function private.touch_updated_at();

alter table public.properties enable row level security;
alter table public.property_images enable row level security;
revoke all on public.properties, public.property_images from anon, authenticated;
grant select on public.properties, public.property_images to anon;
grant select, insert, update, delete on public.properties, public.property_images to authenticated;

create policy "published listings are public" on public.properties for select to anon, authenticated
using (status = 'active' and expires_at > now());
create policy "owners see their listings" on public.properties for select to authenticated
using (owner_id = (select auth.uid()));
create policy "owners list for free" on public.properties for insert to authenticated
with check (owner_id = (select auth.uid()) and status in ('draft', 'pending'));
create policy "owners edit their listings" on public.properties for update to authenticated
using (owner_id = (select auth.uid())) with check (owner_id = (select auth.uid()));
create policy "owners delete their drafts" on public.properties for delete to authenticated
using (owner_id = (select auth.uid()) and status = 'draft');
create policy "administrators manage listings" on public.properties for all to authenticated
using ((select public.is_admin())) with check ((select public.is_admin()));

-- The inner select is under the caller's own policies: whoever may read the listing may see its pictures.
create policy "pictures are as public as their listing" on public.property_images for select to anon, authenticated
using (exists (select from public.properties as p where p.id = property_id));
create policy "owners add pictures" on public.property_images for insert to authenticated
with check (exists (select from public.properties as p where p.id = property_id and p.owner_id = (select auth.uid())));
create policy "owners edit pictures" on public.property_images for update to authenticated
using (exists (select from public.properties as p where p.id = property_id and p.owner_id = (select auth.uid())))
with check (exists (select from public.properties as p where p.id = property_id and p.owner_id = (select auth.uid())));
create policy "owners remove pictures" on public.property_images for delete to authenticated
using (exists (select from public.properties as p where p.id = property_id and p.owner_id = (select auth.uid())));
create policy "administrators manage pictures" on public.property_images for all to authenticated
using ((select public.is_admin())) with check ((select public.is_admin()));

-- Changes reach their owner in full rows, also where the row is no longer readable to others.
alter table public.properties replica identity full;
alter publication supabase_realtime add table public.properties;
