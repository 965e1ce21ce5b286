-- Search: what people type, forgiving about old and misspelt place names.

create table private.place_aliases (
    alias text primary key,
    name text not null
);
insert into private.place_aliases (alias, name) values
    ('bangalore', 'bengaluru'), ('bengaluru', 'bangalore'), ('madras', 'chennai'), ('bombay', 'mumbai'),
    ('gurgaon', 'gurugram'), ('trichy', 'tiruchirappalli'), ('tiruchi', 'tiruchirappalli'),
    ('kovai', 'coimbatore'), ('tirupur', 'tiruppur'), ('poona', 'pune'), ('calcutta', 'kolkata'),
    ('mysore', 'mysuru'), ('mangalore', 'mangaluru'), ('cochin', 'kochi'), ('trivandrum', 'thiruvananthapuram'),
    ('pondicherry', 'puducherry'), ('vizag', 'visakhapatnam'), ('baroda', 'vadodara'), ('tanjore', 'thanjavur'),
    ('tuticorin', 'thoothukudi'), ('ncr', 'delhi'), ('bkc', 'bandra');

-- The places that have listings: few rows, so a misspelt name is compared with these and not with every listing.
create table private.places (
    city text not null,
    locality text not null default '',
    primary key (city, locality)
);
create index places_city_similar on private.places using gin (city extensions.gin_trgm_ops);
create index places_locality_similar on private.places using gin (locality extensions.gin_trgm_ops);
alter table private.place_aliases enable row level security;
alter table private.places enable row level security;

create function private.remember_place() returns trigger language plpgsql security definer set search_path = '' as $$
begin
    insert into private.places (city, locality)
    select new.city, place from unnest(array['', coalesce(new.locality, '')]) as place
    where not exists (select from private.places as p where p.city = new.city and p.locality = place)
    on conflict do nothing;
    return null;
end
$$;
revoke execute on function private.remember_place() from public;
create trigger remember_place after insert or update of status, city, locality on public.properties
for each row when (new.status = 'active' and new.city is not null) execute function private.remember_place();

-- Words to a text query. Every word may also be met by another name of the place, or by a place spelt like it.
-- Quotes, `or` and `-` keep their meaning in web search and are then taken literally.
create function private.search_query(q text) returns tsquery
language plpgsql stable security definer set search_path = '' as $$
declare
    words text[];
    word text;
    part tsquery;
    found tsquery;
begin
    q := left(lower(coalesce(q, '')), 200);
    if q ~ '"|(^|\s)-|\sor\s' then
        return websearch_to_tsquery('pg_catalog.english', q);
    end if;
    words := (regexp_split_to_array(trim(regexp_replace(q, '[^\w\s\u0080-\uffff]+', ' ', 'g')), '\s+'))[1:8];
    foreach word in array words loop
        continue when word = '' or word in ('in', 'at', 'for', 'near', 'a', 'an', 'the', 'of', 'and', 'to', 'on', 'with');
        part := plainto_tsquery('pg_catalog.simple', word) || plainto_tsquery('pg_catalog.english', word);
        select coalesce(part || private.any_of(array_agg(a.name)), part) into part
        from private.place_aliases as a
        where a.alias = word
            or char_length(word) >= 5 and extensions.similarity(a.alias, word) >= 0.45;
        if char_length(word) >= 4 then
            select coalesce(part || private.any_of(array_agg(distinct near.place)), part) into part
            from (
                select place from (
                    select p.city as place from private.places as p
                    where p.city operator(extensions.%) word
                    union
                    select p.locality from private.places as p
                    where p.locality operator(extensions.%) word
                ) as close
                order by extensions.similarity(place, word) desc
                limit 4
            ) as near;
        end if;
        found := case when found is null then part else found && part end;
    end loop;
    return found;
end
$$;

create function private.any_of(names text[]) returns tsquery
language plpgsql immutable strict set search_path = '' as $$
declare
    name text;
    phrase tsquery;
    combined tsquery;
begin
    foreach name in array names loop
        phrase := phraseto_tsquery('pg_catalog.simple', name);
        combined := case when combined is null then phrase else combined || phrase end;
    end loop;
    return combined;
end
$$;

-- What matches: the words, or a title that resembles the text when the words alone find nothing.
-- Runs with the owner's rights because below row-level security the text indexes are out of reach (their
-- operators are not leakproof). It hands out nothing but ids, and whoever uses them reads the rows under the
-- caller's own policies.
create function private.matching_properties(q text) returns setof uuid
language plpgsql stable security definer set search_path = '' rows 1000 as $$
declare
    wanted tsquery := private.search_query(q);
begin
    -- The words are spelt out in the statement so that the planner can look them up in its statistics.
    if wanted is not null then
        return query execute format('select id from public.properties where status = ''active'' and fts @@ %L::tsquery', wanted);
        if found then
            return;
        end if;
    end if;
    return query
    select p.id from public.properties as p
    where p.status = 'active' and p.title operator(extensions.%) left(q, 200);
end
$$;

-- "west,south,east,north" to numbers; anything else to null, because a bad box must not break a page.
create function private.box_edges(bbox text) returns double precision[]
language sql immutable parallel safe set search_path = '' as $$
    select case
        when bbox ~ '^\s*\[?\s*-?\d{1,3}(\.\d{1,20})?(\s*,\s*-?\d{1,3}(\.\d{1,20})?){3}\s*\]?\s*$'
            then string_to_array(translate(bbox, '[] ', ''), ',')::double precision[]
    end
$$;

create function private.blank(q text) returns boolean
language sql immutable parallel safe set search_path = '' as $$
    select coalesce(q, '') !~ '\S'
$$;

-- No `security definer` and no `set` here on purpose: only so can the planner fold the function into the
-- query around it and use an index for the filters, the order and the page that the caller adds.
create function public.search_properties(q text default null, bbox text default null)
returns setof public.properties language sql stable rows 1000 as $$
    select p.*
    from public.properties as p
    where p.status = 'active'
        and p.expires_at > now()
        and (private.blank(q) or p.id in (select private.matching_properties(q)))
        and (
            private.box_edges(bbox) is null
            or p.lng >= (private.box_edges(bbox))[1] and p.lat >= (private.box_edges(bbox))[2]
            and p.lng <= (private.box_edges(bbox))[3] and p.lat <= (private.box_edges(bbox))[4]
        )
    order by
        p.featured desc,
        case
            when private.blank(q) then 0
            else coalesce(ts_rank(p.fts, (select private.search_query(q))), 0) + extensions.similarity(p.title, q)
        end desc,
        p.published_at desc nulls last
$$;

create index properties_title_prefix on public.properties (lower(title) text_pattern_ops) where status = 'active';
-- Everything the counts need, so that they are read from the index alone.
create index properties_facet_counts on public.properties (property_type, city, furnishing, possession, expires_at)
where status = 'active';

-- How many listings there are per value of each facet. Only public listings are counted, whoever asks, so it
-- runs with the owner's rights and reads no more than the index.
create function public.property_facets(q text default null, bbox text default null)
returns table (facet text, value text, count bigint)
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_column
declare
    edges double precision[] := private.box_edges(bbox);
    source text := 'select property_type, city, furnishing, possession, count(*) as listings
        from public.properties
        where status = ''active'' and expires_at > now()';
begin
    if not private.blank(q) then
        source := source || ' and id = any ($1)';
    end if;
    if edges is not null then
        source := source || ' and lng >= $2[1] and lat >= $2[2] and lng <= $2[3] and lat <= $2[4]';
    end if;
    return query execute
        'with combined as materialized (' || source || ' group by 1, 2, 3, 4)
        select facet, value, sum(listings)::bigint
        from combined, lateral (values
            (''type'', property_type::text), (''city'', city), (''furnishing'', furnishing::text),
            (''possession'', possession::text)
        ) as facets (facet, value)
        where value is not null
        group by facet, value
        order by facet, 3 desc, value'
    using
        case when not private.blank(q) then array(select private.matching_properties(q)) end,
        edges;
end
$$;

-- At most eight places and titles for what has been typed so far.
create function public.suggest(q text) returns table (kind text, label text, city text)
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_column
declare
    typed text := left(lower(trim(coalesce(q, ''))), 100);
    prefix text := replace(replace(replace(typed, '\', '\\'), '%', '\%'), '_', '\_') || '%';
    other text;
begin
    if typed = '' then
        return;
    end if;
    select a.name into other from private.place_aliases as a where a.alias like prefix order by a.alias limit 1;
    return query
    with found as (
        select 1 as rank, 'city' as kind, p.city as label, p.city, extensions.similarity(p.city, typed) as likeness
        from private.places as p
        where p.locality = '' and (
            lower(p.city) like prefix or lower(p.city) = other or p.city operator(extensions.%) typed)
        union all
        select 2, 'locality', p.locality, p.city, extensions.similarity(p.locality, typed)
        from private.places as p
        where p.locality <> '' and (lower(p.locality) like prefix or p.locality operator(extensions.%) typed)
        union all
        select 3, 'project', t.title, t.city, 0
        from (
            select p.title, p.city from public.properties as p
            where p.status = 'active' and p.expires_at > now() and lower(p.title) like prefix
            limit 8
        ) as t
    )
    select distinct_found.kind, distinct_found.label, distinct_found.city
    from (
        select distinct on (f.kind, f.label, f.city) f.* from found as f order by f.kind, f.label, f.city
    ) as distinct_found
    order by distinct_found.rank, distinct_found.likeness desc, distinct_found.label
    limit 8;
end
$$;
