-- Who listens to which rows, and the messages that the database itself sends.

create or replace function realtime.to_regrole(role_name text) returns regrole immutable language sql
    as $$ select $1::regrole $$;

create table if not exists realtime.subscription (
    id bigint generated always as identity constraint pk_subscription primary key,
    subscription_id uuid not null,
    entity regclass not null,
    filters realtime.user_defined_filter[] not null default '{}',
    claims jsonb not null,
    claims_role regrole not null generated always as (realtime.to_regrole(claims ->> 'role')) stored,
    created_at timestamp not null default timezone('utc', now())
);
alter table realtime.subscription
    add column if not exists action_filter text default '*',
    add column if not exists selected_columns text[];
do $$
begin
    if not exists (
        select from pg_constraint
        where conrelid = 'realtime.subscription'::regclass and conname = 'subscription_action_filter_check'
    ) then
        alter table realtime.subscription
            add constraint subscription_action_filter_check check (action_filter in ('*', 'INSERT', 'UPDATE', 'DELETE'));
    end if;
end
$$;

-- Replaced by the index below, which tells actions and selections apart.
drop index if exists realtime.subscription_subscription_id_entity_filters_key;
drop index if exists realtime.subscription_subscription_id_entity_filters_action_filter_key;
create unique index if not exists subscription_subscription_id_entity_filters_action_filter_selec
    on realtime.subscription (subscription_id, entity, filters, action_filter, coalesce(selected_columns, '{}'::text[]));
create index if not exists ix_realtime_subscription_entity on realtime.subscription (entity);

do $$
begin
    if (select relkind from pg_class where oid = to_regclass('realtime.messages')) = 'r' then
        raise exception 'realtime.messages is not partitioned yet'
            using hint = 'This database was made by a Realtime of before November 2024. Start a newer one on it once.';
    end if;
end
$$;
create table if not exists realtime.messages (
    topic text not null,
    extension text not null,
    payload jsonb,
    event text,
    private boolean default false,
    updated_at timestamp not null default now(),
    inserted_at timestamp not null default now(),
    id uuid not null default gen_random_uuid(),
    primary key (id, inserted_at)
) partition by range (inserted_at);
alter table realtime.messages add column if not exists binary_payload bytea;
do $$
begin
    if not exists (
        select from pg_constraint
        where conrelid = 'realtime.messages'::regclass and conname = 'messages_payload_exclusive'
    ) then
        alter table realtime.messages
            add constraint messages_payload_exclusive check (payload is null or binary_payload is null) not valid;
    end if;
end
$$;
-- For clients that ask for what they missed.
create index if not exists messages_inserted_at_topic_index on realtime.messages (inserted_at desc, topic)
    where extension = 'broadcast' and private is true;
alter table realtime.messages enable row level security;

-- A message needs the partition of its day. The service makes them ahead; until it runs for the first time these do.
do $$
declare
    day date;
begin
    for day in select generate_series(current_date - 1, current_date + 3, interval '1 day') loop
        execute format(
            'create table if not exists realtime.%I partition of realtime.messages for values from (%L) to (%L)',
            'messages_' || to_char(day, 'YYYY_MM_DD'), day, day + 1
        );
    end loop;
end
$$;
