-- Not GoTrue's: limits that hold for all copies of the service. What they counted may be lost in a crash.
create unlogged table if not exists auth.rate_limit_buckets (
    name text primary key,
    tokens double precision not null,
    since timestamptz not null
);
comment on table auth.rate_limit_buckets is 'Auth: what is left under the rate limits.';
alter table auth.rate_limit_buckets enable row level security;
