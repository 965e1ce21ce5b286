-- What whoever stands in `WEBHOOK_URL` has not been told yet. A row is written in the transaction of the change that it
-- tells of. The original keeps the like in tables of pg-boss.

create table if not exists storage.webhook_queue (
    id bigint generated always as identity,
    bucket_id text collate "C" not null,
    name text collate "C" not null,
    event json not null,
    attempts integer default 0 not null,
    created_at timestamptz default now() not null,
    due_at timestamptz default now() not null,
    constraint webhook_queue_pkey primary key (id)
);
create index if not exists webhook_queue_due_at_idx on storage.webhook_queue (due_at);
-- Of one object the oldest goes first.
create index if not exists webhook_queue_object_idx on storage.webhook_queue (bucket_id, name, id);
-- It is the service's alone, which owns it.
alter table storage.webhook_queue enable row level security;
revoke all on storage.webhook_queue from anon, authenticated, service_role, postgres;
