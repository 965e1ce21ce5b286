// The tables whose rows are compared after a scenario.

export const TABLES = ['buckets', 'objects', 's3_multipart_uploads', 's3_multipart_uploads_parts'];
