// The twelve demo accounts. They exist in the demo data only; the password is meant to be known.
import { daysAgo, uuidFor } from "./random.mjs";
import { insert, json, literal } from "./statement.mjs";

// bcrypt of 'nilam-demo-2026', cost 10. Made once, so that the file stays the same in every run.
const PASSWORD_HASH =
  "$2a$10$F7tcuFU7vzN1.FNm0vkWGuW2f8BUCdLbJFsAeE85gzfd51EIzbk3W";

const person = (name, group, email, phone, more = {}) => ({
  name,
  group,
  email,
  phone,
  ...more,
});
export const PEOPLE = [
  person("Meena Raghavan", "admin", "admin@demo.example.com", "919000010001", {
    city: "Coimbatore",
  }),
  person("Arvind Menon", "admin", "moderator@demo.example.com", null, {
    city: "Chennai",
  }),
  person(
    "Lakshmi Subramanian",
    "owner",
    "owner@demo.example.com",
    "919000010003",
    { city: "Coimbatore", company: "Subramanian Estates" },
  ),
  person("Rajesh Iyer", "owner", "owner2@demo.example.com", "919000010004", {
    city: "Chennai",
  }),
  person("Farhan Qureshi", "owner", "owner3@demo.example.com", "919000010005", {
    city: "Hyderabad",
    company: "Deccan Sheds",
  }),
  person(
    "Sunita Deshpande",
    "owner",
    "owner4@demo.example.com",
    "919000010006",
    { city: "Pune" },
  ),
  person("Vikram Sethi", "broker", "broker@demo.example.com", "919000010007", {
    city: "Gurugram",
    company: "Sethi Commercial",
  }),
  person(
    "Divya Narayanan",
    "broker",
    "broker2@demo.example.com",
    "919000010008",
    { city: "Bengaluru", company: "Southline Realty" },
  ),
  person("Harish Patil", "broker", "broker3@demo.example.com", "919000010009", {
    city: "Mumbai",
    company: "Patil & Co.",
  }),
  person("Anjali Thomas", "buyer", "buyer@demo.example.com", "919000010010", {
    city: "Coimbatore",
    verified: true,
  }),
  // Some accounts never gave a name, and some have nothing but a telephone.
  person("", "buyer", "buyer2@demo.example.com", null, { city: "Chennai" }),
  person("Karthik Velu", "buyer", null, "919000010012", {
    city: "Madurai",
    verified: true,
  }),
].map((each) => ({ ...each, id: uuidFor(`user:${each.email ?? each.phone}`) }));

export const LISTERS = PEOPLE.filter(
  ({ group }) => group === "owner" || group === "broker",
);
export const BUYERS = PEOPLE.filter(({ group }) => group === "buyer");

export function peopleSql() {
  const users = PEOPLE.map((each, index) => {
    const since = daysAgo(120 - index * 6);
    const providers = [each.email && "email", each.phone && "phone"].filter(
      Boolean,
    );
    return {
      instance_id: "00000000-0000-0000-0000-000000000000",
      id: each.id,
      aud: "authenticated",
      role: "authenticated",
      email: each.email,
      encrypted_password: each.email ? PASSWORD_HASH : "",
      email_confirmed_at: each.email && since,
      confirmation_token: "",
      recovery_token: "",
      email_change_token_new: "",
      email_change: "",
      raw_app_meta_data: json({
        provider: providers[0],
        providers,
        ...(each.group === "admin" && { role: "admin" }),
      }),
      raw_user_meta_data: json({
        sub: each.id,
        ...(each.email && { email: each.email }),
        ...(each.name && { full_name: each.name }),
        email_verified: Boolean(each.email),
        phone_verified: Boolean(each.phone),
      }),
      created_at: since,
      updated_at: since,
      phone: each.phone,
      phone_confirmed_at: each.phone && since,
      is_sso_user: false,
      is_anonymous: false,
    };
  });
  const identities = PEOPLE.flatMap((each, index) => {
    const since = daysAgo(120 - index * 6);
    const identity = (provider, data) => ({
      id: uuidFor(`identity:${provider}:${each.id}`),
      provider_id: each.id,
      user_id: each.id,
      identity_data: json({ sub: each.id, ...data }),
      provider,
      last_sign_in_at: since,
      created_at: since,
      updated_at: since,
    });
    return [
      each.email &&
        identity("email", {
          email: each.email,
          ...(each.name && { full_name: each.name }),
          email_verified: true,
          phone_verified: false,
        }),
      each.phone &&
        identity("phone", {
          phone: each.phone,
          email_verified: false,
          phone_verified: true,
        }),
    ].filter(Boolean);
  });
  const profiles = PEOPLE.map(
    (each) =>
      `(${[each.id, each.company ?? null, each.group === "admin" ? "owner" : each.group, each.city].map(literal).join(", ")}, ${Boolean(each.verified)})`,
  );
  return [
    insert("auth.users", users),
    insert("auth.identities", identities),
    `-- The profiles were made by the trigger; they are completed once.
update public.profiles as p
set company = d.company, user_type = d.user_type::public.user_type, city = d.city, verified_buyer = d.verified
from (values
${profiles.join(",\n")}
) as d (id, company, user_type, city, verified)
where p.id = d.id::uuid and p.user_type is null;
`,
  ].join("\n");
}
