-- A co-working space and what it offers are written together or not at all: a space whose offerings were refused would otherwise be
-- there already when its form is sent again. Runs as whoever calls, so the policies of both tables decide.
--
-- Without `p_id` a space is made; with it, that space gets what `p_space` has, and keeps the rest. `p_offerings` is all that it offers:
-- kinds that are not in it go, the description of a kind stays. Gives the space, or nothing when there is none to write.
create function public.save_space(p_space jsonb, p_offerings jsonb, p_id uuid default null)
returns table (id uuid, slug text) language plpgsql security invoker set search_path = '' as $$
declare
    -- What the database alone decides.
    given constant jsonb := p_space - array['id', 'created_at', 'updated_at'];
    saved public.coworking_space;
begin
    if p_id is null then
        insert into public.coworking_space
        select n.* from jsonb_populate_record(
            null::public.coworking_space,
            '{"active": true, "paid_listing": false, "amenities": {}, "opening_hours": {}}' || given
            || jsonb_build_object('id', gen_random_uuid(), 'created_at', now(), 'updated_at', now())
        ) as n
        returning * into saved;
    else
        update public.coworking_space as s set
            slug = n.slug, name = n.name, address = n.address, locality = n.locality, sub_locality = n.sub_locality,
            city = n.city, state = n.state, description = n.description, image_url = n.image_url,
            website_url = n.website_url, booking_phone = n.booking_phone, booking_email = n.booking_email,
            active = n.active, paid_listing = n.paid_listing, coordinates = n.coordinates, amenities = n.amenities,
            opening_hours = n.opening_hours, min_price = n.min_price, max_price = n.max_price
        from public.coworking_space as before, jsonb_populate_record(before, given) as n
        where before.id = p_id and s.id = p_id
        returning s.* into saved;
    end if;
    if saved.id is null then
        return;
    end if;
    delete from public.coworking_offering_type as o
    where o.coworking_space_id = saved.id and o.offering_type not in (
        select n.offering_type
        from jsonb_populate_recordset(null::public.coworking_offering_type, p_offerings) as n
    );
    insert into public.coworking_offering_type as o (coworking_space_id, offering_type, price_from, capacity, available)
    select saved.id, n.offering_type, n.price_from, n.capacity, coalesce(n.available, true)
    from jsonb_populate_recordset(null::public.coworking_offering_type, p_offerings) as n
    on conflict (coworking_space_id, offering_type) do update
    set price_from = excluded.price_from, capacity = excluded.capacity, available = excluded.available;
    return query select saved.id, saved.slug;
end
$$;
revoke execute on function public.save_space(jsonb, jsonb, uuid) from public, anon;
