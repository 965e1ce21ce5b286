-- The function behind /graphql/v1. Without the extension pg_graphql it says so, in the words of a GraphQL
-- answer, as the original's image does when the extension is dropped.

create schema if not exists graphql_public authorization supabase_admin;
grant usage on schema graphql_public to postgres, anon, authenticated, service_role;

do $do$
begin
    if to_regprocedure('graphql_public.graphql(text, text, jsonb, jsonb)') is not null then
        return;
    end if;
    create function graphql_public.graphql(
        "operationName" text default null, query text default null, variables jsonb default null,
        extensions jsonb default null
    ) returns jsonb language sql as $$
        select jsonb_build_object('errors', jsonb_build_array(
            jsonb_build_object('message', 'pg_graphql extension is not enabled.')
        ))
    $$;
end
$do$;

grant execute on function graphql_public.graphql to postgres, anon, authenticated, service_role;
