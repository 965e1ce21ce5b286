-- What the extension pgjwt offers, in SQL: projects sign and verify tokens with it. The extension itself, where the
-- server has it and the project makes it, takes the place of these.

do $$
begin
    if exists (select from pg_extension where extname = 'pgjwt') then
        return;
    end if;

    create or replace function extensions.url_encode(data bytea) returns text immutable language sql as $body$
        select translate(encode($1, 'base64'), E'+/=\n', '-_')
    $body$;

    create or replace function extensions.url_decode(data text) returns bytea immutable language sql as $body$
        select decode(rpad(translate($1, '-_', '+/'), (length($1) + 3) / 4 * 4, '='), 'base64')
    $body$;

    create or replace function extensions.algorithm_sign(signables text, secret text, algorithm text)
    returns text immutable language sql as $body$
        -- An algorithm that is not one of these gives null, as the extension does.
        select extensions.url_encode(extensions.hmac(
            $1, $2, case $3 when 'HS256' then 'sha256' when 'HS384' then 'sha384' when 'HS512' then 'sha512' end))
    $body$;

    create or replace function extensions.sign(payload json, secret text, algorithm text default 'HS256')
    returns text immutable language sql as $body$
        select head_and_body || '.' || extensions.algorithm_sign(head_and_body, $2, $3)
        from (
            select extensions.url_encode(convert_to('{"alg":"' || $3 || '","typ":"JWT"}', 'utf8')) || '.'
                || extensions.url_encode(convert_to($1::text, 'utf8'))
        ) as token (head_and_body)
    $body$;

    create or replace function extensions.try_cast_double(inp text) returns double precision immutable language plpgsql as $body$
    begin
        return inp::double precision;
    exception when others then
        return null;
    end
    $body$;

    create or replace function extensions.verify(token text, secret text, algorithm text default 'HS256')
    returns table (header json, payload json, valid boolean) immutable language sql as $body$
        select t.header, t.payload,
            t.signature = extensions.algorithm_sign(t.head_and_body, $2, $3)
            and tstzrange(
                to_timestamp(extensions.try_cast_double(t.payload ->> 'nbf')),
                to_timestamp(extensions.try_cast_double(t.payload ->> 'exp'))
            ) @> current_timestamp
        from (
            select convert_from(extensions.url_decode(split_part($1, '.', 1)), 'utf8')::json as header,
                convert_from(extensions.url_decode(split_part($1, '.', 2)), 'utf8')::json as payload,
                split_part($1, '.', 3) as signature,
                split_part($1, '.', 1) || '.' || split_part($1, '.', 2) as head_and_body
        ) as t
    $body$;
end
$$;
grant execute on all functions in schema extensions to anon, authenticated, service_role, postgres;
