//! What the database says of a table and of roles at the moment of asking.

use std::{collections::HashMap, fmt::Write as _};

use serde::Deserialize;
use svc_kit::{pg::quote_ident, wire::Row};

use super::sql::{Database, DatabaseError, Statement, array, plain_array};

/// Of every table: whether it is guarded by row-level security, its columns, and what roles may do with it.
///
/// A role's answers are the same for all claims if it passes row-level security, or if all policies that could apply
/// to it are constant. And where every policy compares a column with `auth.uid()`, which most do, the column alone
/// says who sees a row, provided that the function is the platform's and the role may call it.
const FACTS: &str = "select jsonb_build_object(
    'oid', c.oid::int8,
    'schema', n.nspname,
    'name', c.relname,
    'is_guarded', c.relrowsecurity,
    'columns', (
        select coalesce(jsonb_agg(jsonb_build_object(
            'name', a.attname,
            'type_oid', a.atttypid::int8,
            'type_name', t.typname,
            'type_schema', tn.nspname,
            'shown_type', format_type(a.atttypid, a.atttypmod),
            'is_enum', t.typtype = 'e' and not exists (
                select from pg_catalog.pg_cast k where k.castsource = t.oid and k.casttarget in (114, 3802)),
            'is_generated', a.attgenerated = 's',
            'key', array_position(p.conkey, a.attnum),
            'equals', coalesce((
                select format('operator(%I.%s)', kn.nspname, ko.oprname)
                from pg_catalog.pg_index i
                join pg_catalog.pg_opclass kc on kc.oid = i.indclass[array_position(p.conkey, a.attnum) - 1]
                join pg_catalog.pg_amop ka on ka.amopfamily = kc.opcfamily and ka.amopstrategy = 3
                    and ka.amoplefttype = kc.opcintype and ka.amoprighttype = kc.opcintype
                join pg_catalog.pg_operator ko on ko.oid = ka.amopopr
                join pg_catalog.pg_namespace kn on kn.oid = ko.oprnamespace
                where i.indexrelid = p.conindid), 'operator(pg_catalog.=)')
        ) order by a.attnum), '[]')
        from pg_catalog.pg_attribute a
        join pg_catalog.pg_type t on t.oid = a.atttypid
        join pg_catalog.pg_namespace tn on tn.oid = t.typnamespace
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ),
    'roles', (
        select coalesce(jsonb_agg(jsonb_build_object(
            'name', r.rolname,
            'standing', format('%s %s ', r.rolsuper, r.rolbypassrls) || (
                with recursive held (oid) as (
                    select r.oid
                    union select m.roleid from pg_catalog.pg_auth_members m join held h on h.oid = m.member)
                select string_agg(h.oid::text, ' ' order by h.oid)
                from held h where pg_catalog.pg_has_role(r.oid, h.oid, 'USAGE')),
            'ignores_claims', r.rolsuper or r.rolbypassrls or not exists (
                select from pg_catalog.pg_policy y
                where y.polrelid = c.oid and y.polcmd in ('r', '*')
                and (0 = any (y.polroles) or exists (
                    select from unnest(y.polroles) m where pg_catalog.pg_has_role(r.oid, m, 'MEMBER')))
                and pg_catalog.pg_get_expr(y.polqual, y.polrelid) is distinct from 'true'),
            'owner_columns', case
                when u.is_known and not r.rolsuper and not r.rolbypassrls
                and not pg_catalog.pg_has_role(r.oid, c.relowner, 'USAGE')
                and pg_catalog.has_schema_privilege(r.oid, c.relnamespace, 'USAGE')
                and pg_catalog.has_function_privilege(r.oid, u.oid, 'EXECUTE')
                then (
                    select case when bool_and(y.polpermissive and o.attname is not null)
                        then jsonb_agg(distinct o.attname) end
                    from pg_catalog.pg_policy y
                    left join pg_catalog.pg_attribute o
                        on o.attrelid = c.oid and o.attnum > 0 and not o.attisdropped and o.atttypid = 'uuid'::regtype
                        and pg_catalog.pg_get_expr(y.polqual, y.polrelid) in (
                            format('(auth.uid() = %I)', o.attname), format('(%I = auth.uid())', o.attname),
                            format('(( SELECT auth.uid() AS uid) = %I)', o.attname),
                            format('(%I = ( SELECT auth.uid() AS uid))', o.attname))
                    where y.polrelid = c.oid and y.polcmd in ('r', '*')
                    and (0 = any (y.polroles) or exists (
                        select from unnest(y.polroles) m where pg_catalog.pg_has_role(r.oid, m, 'USAGE')))
                )
            end,
            'selectable', (
                select coalesce(jsonb_agg(
                    pg_catalog.has_column_privilege(r.oid, c.oid, a.attnum, 'SELECT') order by a.attnum), '[]')
                from pg_catalog.pg_attribute a
                where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
        ) order by r.oid), '[]')
        from pg_catalog.pg_roles r where r.rolname = any ($2::text[])
    )
)::text
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
left join lateral (
    select f.oid, f.prorettype = 'uuid'::regtype and not f.prosecdef and f.proconfig is null and l.lanname = 'sql'
        and coalesce(current_setting('request.jwt.claim.sub', true), '') = ''
        and regexp_replace(f.prosrc, '\\s', '', 'g') in (
            'selectcoalesce(nullif(current_setting(''request.jwt.claim.sub'',true),''''),'
                'nullif(current_setting(''request.jwt.claims'',true),'''')::jsonb->>''sub'')::uuid',
            'selectcoalesce(nullif(current_setting(''request.jwt.claim.sub'',true),''''),'
                '(nullif(current_setting(''request.jwt.claims'',true),'''')::jsonb->>''sub''))::uuid') as is_known
    from pg_catalog.pg_proc f join pg_catalog.pg_language l on l.oid = f.prolang
    where f.oid = to_regprocedure('auth.uid()')
) u on true
left join pg_catalog.pg_constraint p on p.conrelid = c.oid and p.contype = 'p'
where c.oid = any ($1::oid[])";

/// Names in expressions are written in full.
const NO_PATH: &str = "select num_nulls(set_config('search_path', 'pg_catalog', true))";

const PUBLISHED: &str = "select format('%I.%I', p.schemaname, p.tablename)::regclass::oid::int8, p.schemaname::text, p.tablename::text
    from pg_catalog.pg_publication_tables p where p.pubname = $1";

/// A table, and what the roles that were asked about may do with it.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Table {
    pub(super) oid: u32,
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) is_guarded: bool,
    /// In attribute order.
    pub(super) columns: Vec<Column>,
    pub(super) roles: Vec<Rights>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) type_oid: u32,
    pub(super) type_name: String,
    pub(super) type_schema: String,
    /// As SQL spells the type, with its modifier.
    pub(super) shown_type: String,
    pub(super) is_enum: bool,
    /// Stored; the log may leave it out.
    pub(super) is_generated: bool,
    /// Its place in the primary key, from 1.
    pub(super) key: Option<i32>,
    /// The operator by which the key's index compares. Only a superuser makes one that an index may use, so the
    /// service can run it, unlike what `=` finds on the search path.
    pub(super) equals: String,
}

/// What a role may do with a table.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Rights {
    pub(super) name: String,
    /// What the role is and which roles' rights it has. Two roles' plans, or a role's at two times, are the same only
    /// if this is: Postgres keeps a prepared statement's policies when memberships or attributes of roles change.
    pub(super) standing: String,
    /// Whoever has the role sees the same rows.
    pub(super) ignores_claims: bool,
    /// If it is certain that a row is seen by those alone whose subject is the value of one of these columns.
    pub(super) owner_columns: Option<Vec<String>>,
    /// For every column of the table.
    pub(super) selectable: Vec<bool>,
}

impl Table {
    pub(super) fn rights(&self, role: &str) -> Option<&Rights> {
        self.roles.iter().find(|rights| rights.name == role)
    }

    /// The columns of the primary key, in its order.
    pub(super) fn key(&self) -> Vec<&Column> {
        let mut key: Vec<_> = self.columns.iter().filter(|it| it.key.is_some()).collect();
        key.sort_by_key(|column| column.key);
        key
    }

    /// How statements name the key's columns, for parameters that are arrays, one for each of them.
    pub(super) fn key_sql(&self) -> KeySql {
        let mut sql = KeySql::default();
        for (index, column) in self.key().into_iter().enumerate() {
            let (schema, name) = (
                quote_ident(&column.type_schema),
                quote_ident(&column.type_name),
            );
            let (comma, and) = if index == 0 {
                ("", "")
            } else {
                (", ", " and ")
            };
            let place = index + 1;
            // Writing to a string cannot fail.
            let _ = write!(sql.arrays, "{comma}${place}::{schema}.{name}[]");
            let _ = write!(sql.names, "k{place}, ");
            let name = quote_ident(&column.name);
            let _ = write!(sql.equal, "{and}t.{name} = k.k{place}");
            let equals = &column.equals;
            let _ = write!(sql.same, "{and}t.{name} {equals} k.k{place}");
        }
        sql
    }

    /// A statement that gives, for keys as its parameters, the place of each row that is there and columns as text.
    pub(super) fn select_sql(&self, columns: &[&str]) -> String {
        let key = self.key_sql();
        let mut texts = String::new();
        for column in columns {
            let _ = write!(texts, ", t.{}::text", quote_ident(column));
        }
        format!(
            "select k.place{texts} from unnest({}) with ordinality k ({}place) join {} t on {}",
            key.arrays,
            key.names,
            self.quoted(),
            key.same,
        )
    }

    /// Its name with its schema, quoted.
    pub(super) fn quoted(&self) -> String {
        format!("{}.{}", quote_ident(&self.schema), quote_ident(&self.name))
    }

    pub(super) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// Parts of a statement that looks for rows by their keys.
#[derive(Debug, Default)]
pub(super) struct KeySql {
    /// `$1::"pg_catalog"."int4"[], …`
    pub(super) arrays: String,
    /// `k1, …, `
    pub(super) names: String,
    /// `t."id" = k.k1 and …`, for statements that run as the caller.
    pub(super) equal: String,
    /// `t."id" operator(pg_catalog.=) k.k1 and …`, for those of the service.
    pub(super) same: String,
}

/// A table of the publication.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Published {
    pub(super) oid: u32,
    pub(super) schema: String,
    pub(super) name: String,
}

/// Reads the tables of these OIDs; one that is gone is missing.
pub(super) async fn tables(
    database: &Database,
    oids: impl IntoIterator<Item = u32>,
    roles: impl IntoIterator<Item = &str>,
) -> Result<HashMap<u32, Table>, DatabaseError> {
    let (oids, roles) = (plain_array(oids), array(roles.into_iter().map(Some)));
    let facts = Statement::new(FACTS, [&*oids, &*roles]);
    let rows = database.run(&[Statement::new(NO_PATH, []), facts]).await?;
    let read = |row: &Row| serde_json::from_slice::<Table>(row.get(0)?).ok();
    let tables = rows.iter().skip(1).flatten().filter_map(read);
    Ok(tables.map(|table| (table.oid, table)).collect())
}

/// Reads which tables are published.
pub(super) async fn published(
    database: &Database,
    publication: &str,
) -> Result<Vec<Published>, DatabaseError> {
    let rows = database
        .run(&[Statement::new(PUBLISHED, [publication])])
        .await?;
    let read = |row: &Row| {
        Some(Published {
            oid: u32::try_from(row.bigint(0)?).ok()?,
            schema: row.text(1)?,
            name: row.text(2)?,
        })
    };
    Ok(rows.iter().flatten().filter_map(read).collect())
}
