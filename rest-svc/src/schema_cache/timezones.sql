-- ($1 is not used.)
select pg_catalog.json_agg(name)::text from pg_catalog.pg_timezone_names where $1::text[] is not null
