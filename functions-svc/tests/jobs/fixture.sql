create table public.orders (id bigint generated always as identity primary key, note text);
create table public.done (id bigint generated always as identity primary key, who text default current_user, what text);
grant all on public.orders, public.done to anon, authenticated, service_role, postgres;
