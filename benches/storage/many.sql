-- A folder of a thousand objects, as a list shows them.
insert into storage.objects (bucket_id, name, version, metadata)
select 'bench', 'many/file-' || lpad(number::text, 4, '0') || '.txt', gen_random_uuid()::text,
    jsonb_build_object(
        'eTag', '"' || md5(number::text) || '"', 'size', number, 'mimetype', 'text/plain', 'cacheControl', 'no-cache',
        'lastModified', '2026-01-01T00:00:00.000Z', 'contentLength', number, 'httpStatusCode', 200)
from generate_series(1, 1000) number;
analyze storage.objects;
