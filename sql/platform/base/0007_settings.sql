-- Settings of rest that projects may change for the authenticator, beyond those of the first list.

do $$
declare
    name text;
begin
    foreach name in array array[
        'client_error_verbosity', 'db_pre_config', 'jwt_cache_max_lifetime', 'server_cors_allowed_origins',
        'url_use_legacy_target_names'
    ] loop
        execute format('grant set on parameter %I to postgres', 'pgrst.' || name);
    end loop;
end
$$;
