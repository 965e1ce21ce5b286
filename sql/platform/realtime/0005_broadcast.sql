-- Messages that the database sends, and what a policy can ask about the channel.

-- The topic of the channel that is being joined or sent to.
create or replace function realtime.topic() returns text stable language sql
    as $$ select nullif(current_setting('realtime.topic', true), '') $$;

-- Sends JSON to everybody in a topic once the transaction commits. It never fails: sending is not worth a user's write.
create or replace function realtime.send(payload jsonb, event text, topic text, private boolean default true)
returns void language plpgsql as $$
declare
    message uuid := gen_random_uuid();
begin
    perform set_config('realtime.topic', topic, true);
    insert into realtime.messages (id, extension, payload, event, topic, private)
    values (message, 'broadcast', case when payload ? 'id' then payload else jsonb_set(payload, '{id}', to_jsonb(message)) end,
        event, topic, private);
exception when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

-- The same with bytes.
create or replace function realtime.send_binary(payload bytea, event text, topic text, private boolean default true)
returns void language plpgsql as $$
begin
    perform set_config('realtime.topic', topic, true);
    insert into realtime.messages (extension, binary_payload, event, topic, private)
    values ('broadcast', payload, event, topic, private);
exception when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

-- For triggers: sends what happened to a row.
create or replace function realtime.broadcast_changes(
    topic_name text, event_name text, operation text, table_name text, table_schema text,
    new record, old record, level text default 'ROW'
) returns void language plpgsql as $$
begin
    if level = 'STATEMENT' then
        raise exception 'function can only be triggered for each row, not for each statement';
    end if;
    if operation is null or operation not in ('INSERT', 'UPDATE', 'DELETE') then
        raise exception 'Unexpected operation type: %', operation;
    end if;
    perform realtime.send(
        jsonb_build_object('operation', operation, 'schema', table_schema, 'table', table_name, 'record', new, 'old_record', old),
        event_name, topic_name
    );
exception when others then
    raise exception 'Failed to process the row: %', sqlerrm;
end
$$;
