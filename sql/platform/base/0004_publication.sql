-- What realtime listens to. It belongs to `postgres`, because projects add their tables to it.

do $$
begin
    if not exists (select from pg_publication where pubname = 'supabase_realtime') then
        create publication supabase_realtime;
    end if;
    alter publication supabase_realtime owner to postgres;
end
$$;
