// What the demo people did: kept, looked at, asked, saved.
import { BUYERS, PEOPLE } from "./people.mjs";
import { daysAgo, randomFor, uuidFor } from "./random.mjs";
import { insert, json } from "./statement.mjs";

const QUESTIONS = [
  "Is this still available from next month? We are a team of twelve.",
  "Could we visit on Saturday morning? Please tell us whom to call.",
  "What is the lowest rent for a three-year term with a long lock-in?",
  "Is the deposit negotiable, and is maintenance included in the rent?",
  "Does the building allow work on weekends and at night?",
  "Please share the floor plan and the power load that is sanctioned.",
];

export function activitySql(properties) {
  const active = properties.filter(({ status }) => status === "active");
  const random = randomFor("activity");
  const askers = [
    ...BUYERS,
    ...PEOPLE.filter(({ group }) => group === "broker"),
  ];
  const enquiries = Array.from({ length: 80 }, (_, index) => {
    const sender = askers[index % askers.length];
    const choices = active.filter(({ owner_id: owner }) => owner !== sender.id);
    const listing = choices[(index * 29) % choices.length];
    const status = random.pick(["new", "new", "read", "responded", "closed"]);
    const days = random.between(0.2, 60);
    return {
      id: uuidFor(`enquiry:${index}`),
      property_id: listing.id,
      sender_id: sender.id,
      owner_id: listing.owner_id,
      name: sender.name || "A visitor",
      phone: sender.phone && `+${sender.phone}`,
      email: sender.email,
      message: random.pick(QUESTIONS),
      intent: random.pick(["info", "visit", "price"]),
      status,
      created_at: daysAgo(days),
      updated_at: daysAgo(days),
      responded_at: status === "responded" ? daysAgo(days - 0.1) : null,
    };
  });
  const perBuyer = (count, row) =>
    BUYERS.flatMap((buyer) =>
      random
        .some(active, count)
        .map((listing) => row(buyer, listing, random.between(0.1, 40))),
    );
  const shortlists = perBuyer(8, (buyer, listing, days) => ({
    user_id: buyer.id,
    property_id: listing.id,
    note: random.chance(0.3) ? "Ask about parking." : null,
    created_at: daysAgo(days),
    updated_at: daysAgo(days),
  }));
  const views = perBuyer(15, (buyer, listing, days) => ({
    user_id: buyer.id,
    property_id: listing.id,
    last_viewed_at: daysAgo(days),
    times: random.whole(1, 5),
    created_at: daysAgo(days),
    updated_at: daysAgo(days),
  }));
  const searches = BUYERS.flatMap((buyer) =>
    [
      [
        "Offices in Coimbatore",
        { for: "lease", type: "office", city: "Coimbatore" },
        "daily",
      ],
      [
        "Warehouses near Chennai",
        { type: "warehouse", city: "Chennai", amin: "10000" },
        "off",
      ],
    ].map(([name, query, alert]) => ({
      id: uuidFor(`search:${buyer.id}:${name}`),
      user_id: buyer.id,
      name,
      query: json(query),
      alert,
      created_at: daysAgo(20),
      updated_at: daysAgo(20),
    })),
  );
  return [
    insert("public.enquiries", enquiries),
    insert("public.shortlists", shortlists),
    insert("public.property_views", views),
    insert("public.saved_searches", searches),
  ].join("\n");
}
