create table public.notes (id int primary key, owner text not null, body text, secret text);
revoke all on public.notes from anon;
grant select (id, owner, body) on public.notes to anon;
alter table public.notes enable row level security;
create policy own on public.notes for select to authenticated
    using (owner = current_setting('request.jwt.claims', true)::jsonb ->> 'sub');
create policy members_read on realtime.messages for select to authenticated
    using (realtime.topic() = 'room-1' and extension = 'broadcast');
create policy ann_writes on realtime.messages for insert to authenticated
    with check (realtime.topic() = 'room-1' and current_setting('request.jwt.claims', true)::jsonb ->> 'sub' = 'ann');
insert into public.notes values (1, 'ann', 'one', 's'), (2, 'bob', 'two', 's');
