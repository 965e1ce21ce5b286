-- Two ways in which an approved listing could change without being looked at again.

-- Pictures can also move from one listing to another. Both are then different from what was approved, and the
-- one that receives them is held to the same number. The listings are locked in one order, so that two moves
-- in opposite directions wait for each other instead of failing.
create or replace function private.guard_property_images() returns trigger language plpgsql set search_path = '' as $$
declare
    touched uuid[] := case tg_op
        when 'INSERT' then array[new.property_id]
        when 'DELETE' then array[old.property_id]
        else array[least(old.property_id, new.property_id), greatest(old.property_id, new.property_id)]
    end;
    listing uuid;
begin
    if tg_op = 'INSERT' or tg_op = 'UPDATE' and new.property_id <> old.property_id then
        foreach listing in array touched loop
            perform pg_advisory_xact_lock(hashtextextended('property-images:' || listing::text, 0));
        end loop;
        if (select count(*) from public.property_images where property_id = new.property_id) > 20 then
            raise check_violation using message = 'A listing can have at most 20 images.';
        end if;
    end if;
    if current_user = 'authenticated' and not public.is_admin() then
        update public.properties set status = 'pending'
        where id = any (touched) and status = 'active' and owner_id = (select auth.uid());
    end if;
    return null;
end
$$;

-- The pin is part of the place. Named to run before `guard_property`, which then does for this move to
-- `pending` what it does for any other. Where only the locality is shown, a move within what is kept of the
-- point changes nothing.
create function private.review_moved_pin() returns trigger language plpgsql set search_path = '' as $$
begin
    if current_user = 'authenticated' and not public.is_admin() then
        new.status := 'pending';
    end if;
    return new;
end
$$;

create trigger guard_moved_pin before update of lat, lng on public.properties
for each row
when (
    old.status = 'active' and new.status = 'active'
    and (new.lat, new.lng) is distinct from (old.lat, old.lng)
    and (
        new.location_precision = 'exact'
        or (round(new.lat::numeric, 2), round(new.lng::numeric, 2))
            is distinct from (round(old.lat::numeric, 2), round(old.lng::numeric, 2))
    )
)
execute function private.review_moved_pin();
