// The two hundred listings of the demo, and any number of them for load tests.
import { CITIES, pointNear } from "./places.mjs";
import { LISTERS, PEOPLE } from "./people.mjs";
import { TODAY, daysAgo, randomFor, uuidFor } from "./random.mjs";
import { SCENES, SCENE_HEIGHT, SCENE_WIDTH, sceneUrl } from "./scenes.mjs";
import { json, slugify } from "./statement.mjs";

const MIX = [
  ["office", 70],
  ["retail", 50],
  ["warehouse", 35],
  ["industrial", 25],
  ["mixed_use", 20],
];
const TYPES = MIX.flatMap(([type, count]) => Array(count).fill(type));

// Rent per square foot and month in the cheapest and the dearest city, and the carpet area.
const BY_TYPE = {
  office: {
    rent: [35, 180],
    area: [400, 18000],
    sub: ["it_park", "corporate", "business_centre", "standalone"],
    nouns: [
      "Office Space",
      "Plug and Play Office",
      "Corporate Floor",
      "Corner Office",
      "IT Park Office",
    ],
  },
  retail: {
    rent: [60, 350],
    area: [180, 6000],
    sub: ["shop", "showroom", "mall", "high_street"],
    nouns: [
      "Retail Shop",
      "High Street Showroom",
      "Double Height Showroom",
      "Corner Shop",
      "Mall Unit",
    ],
  },
  warehouse: {
    rent: [14, 32],
    area: [5000, 120000],
    sub: ["godown", "cold_storage", "logistics_park", "fulfilment_centre"],
    nouns: [
      "Warehouse",
      "Godown",
      "Logistics Park Unit",
      "Cold Storage",
      "Fulfilment Centre",
    ],
  },
  industrial: {
    rent: [12, 28],
    area: [4000, 60000],
    sub: ["shed", "factory", "workshop"],
    nouns: [
      "Industrial Shed",
      "Factory Building",
      "Workshop with Crane",
      "Manufacturing Unit",
    ],
  },
  mixed_use: {
    rent: [40, 160],
    area: [1500, 25000],
    sub: ["shop_office", "commercial_complex", "whole_building"],
    nouns: [
      "Mixed-Use Building",
      "Commercial Complex",
      "Shop and Office Block",
    ],
  },
};
const BUILDINGS = [
  "Sapphire",
  "Orbit",
  "Meridian",
  "Prism",
  "Emerald",
  "Silver Oak",
  "Lotus",
  "Trident",
  "Vertex",
  "Cauvery",
  "Nandi",
  "Ashoka",
  "Palm Court",
  "Zenith",
];
const ROADS = [
  "Main Road",
  "Service Road",
  "Link Road",
  "Bypass Road",
  "Station Road",
  "Ring Road",
  "Market Street",
];
const AMENITIES = [
  "wifi",
  "security",
  "cctv",
  "visitor_parking",
  "cafeteria",
  "fire_safety",
  "wheelchair_access",
  "ev_charging",
  "gym",
  "atm",
  "rain_water_harvesting",
  "solar",
];
const TAMIL = [
  "அவிநாசி சாலையில் அலுவலக இடம் வாடகைக்கு",
  "டி. நகரில் கடை இடம் வாடகைக்கு",
  "மதுரையில் வணிக வளாகம் விற்பனைக்கு",
  "ஸ்ரீபெரும்புதூரில் கிடங்கு வாடகைக்கு",
  "சேலத்தில் அலுவலகத் தளம் வாடகைக்கு",
];
const HINDI = [
  "कनॉट प्लेस में कार्यालय किराए पर",
  "साइबर सिटी में दुकान किराए पर",
  "नेहरू प्लेस में शोरूम बिक्री के लिए",
  "मानेसर में गोदाम किराए पर",
  "ओखला में औद्योगिक शेड किराए पर",
];
const SENTENCES = [
  "Wide frontage on a road that lorries and buses use all day.",
  "Clear title, all papers ready to be looked at.",
  "Power backup for the whole load and a borewell with good yield.",
  "Newly painted, with false ceiling and lighting in place.",
  "Close to the bus stand, banks and places to eat.",
  "Visits are possible on any weekday between ten and six.",
  "The owner lives in the city and answers the same day.",
  "Suits a growing team or a branch office.",
  "Goods lift and separate service entrance at the back.",
];
const RERA = {
  "Tamil Nadu": (n) => `TN/DEMO/Building/${String(n).padStart(4, "0")}/2025`,
  Karnataka: (n) => `PRM/KA/RERA/DEMO/${String(n).padStart(6, "0")}`,
  Maharashtra: (n) => `P5DEMO${String(n).padStart(6, "0")}`,
  Telangana: (n) => `P024DEMO${String(n).padStart(5, "0")}`,
  Delhi: (n) => `DLRERA2025DEMO${String(n).padStart(4, "0")}`,
  Haryana: (n) => `RC/REP/HARERA/DEMO/${String(n).padStart(4, "0")}`,
};

const FOREVER = new Date(TODAY + 3650 * 86_400_000).toISOString();

function statusOf(place) {
  if (place < 170) return "active";
  if (place < 180) return "draft";
  if (place < 190) return "pending";
  return place < 195 ? "rejected" : "archived";
}

/** One listing. `index` decides everything; `demo` adds the odd ones the screens must cope with. */
export function property(index, demo) {
  const random = randomFor(`property:${demo ? "demo" : "bulk"}:${index}`);
  // Spread types, statuses and cities over each other instead of in blocks.
  const type = TYPES[(index * 37) % 200];
  const status = demo
    ? statusOf((index * 73) % 200)
    : random.chance(0.85)
      ? "active"
      : random.pick(["draft", "archived", "pending"]);
  const shape = BY_TYPE[type];
  const twin = demo && [20, 60, 100].includes(index);
  const city = twin
    ? CITIES[1]
    : CITIES[demo ? index % CITIES.length : random.whole(0, CITIES.length - 1)];
  const locality = twin ? city.localities[1] : random.pick(city.localities);
  const building = `${random.pick(BUILDINGS)} ${random.pick(["Towers", "Plaza", "Centre", "Park", "Arcade"])}`;
  const noun = random.pick(shape.nouns);

  // A share of small units, a few very large ones.
  const [least, most] = shape.area;
  const carpet =
    Math.round((least + (most - least) * random.next() ** 2.6) / 10) * 10;
  const builtUp = Math.round((carpet * random.between(1.12, 1.35)) / 10) * 10;
  const rate =
    (shape.rent[0] + (shape.rent[1] - shape.rent[0]) * city.tier) *
    random.between(0.85, 1.15);
  const clampedRate = Math.min(shape.rent[1], Math.max(shape.rent[0], rate));
  const intent = (index * 11) % 20 < 11 ? "lease" : "sale";
  const rent = Math.round((clampedRate * carpet) / 500) * 500;
  // A buyer pays between eleven and fifteen years of rent.
  const price =
    intent === "lease"
      ? rent
      : Math.round((rent * 12 * random.between(11, 15)) / 50000) * 50000;

  let title = `${noun} in ${building}, ${locality.name}`;
  if (demo && index % 20 === 5)
    title =
      `${noun} with Parking, Power Backup and Lift in ${building}, ${locality.name}, ready to move in this month`.slice(
        0,
        120,
      );
  if (demo && index % 40 === 7) title = TAMIL[Math.floor(index / 40)];
  if (demo && index % 40 === 27) title = HINDI[Math.floor(index / 40)];
  if (twin) title = "Office Space near Tidel Park";

  const floors =
    type === "office" || type === "mixed_use"
      ? random.whole(3, 18)
      : random.whole(1, 4);
  const floor =
    type === "warehouse" || type === "industrial" ? 0 : random.whole(0, floors);
  const goods = type === "warehouse" || type === "industrial";
  const leased = demo && [4, 44, 84, 124, 164].includes(index);
  const point = pointNear(random, locality);
  const published = random.between(1, 150);
  const id = uuidFor(`property:${demo ? "demo" : "bulk"}:${index}`);
  const plainTitle = /[A-Za-z]{3}/.test(title) ? title : type.replace("_", " ");
  const base = slugify(plainTitle, locality.name, city.name);
  const reviewed = ["active", "rejected", "archived"].includes(status);
  return {
    id,
    slug: demo ? base : `${base}-${index + 1000}`,
    owner_id: LISTERS[index % LISTERS.length].id,
    status,
    intent,
    property_type: type,
    sub_type: random.pick(shape.sub),
    title,
    description: `${noun} of ${carpet} sq ft carpet area in ${locality.name}, ${city.name}. ${random.some(SENTENCES, 4).join(" ")}`,
    price: demo && index % 33 === 8 ? null : price,
    price_negotiable: random.chance(0.4),
    maintenance_monthly:
      intent === "lease" && random.chance(0.6)
        ? Math.round(carpet * random.between(3, 9))
        : null,
    security_deposit_months: intent === "lease" ? random.whole(3, 12) : null,
    lock_in_months: intent === "lease" ? random.pick([0, 12, 24, 36]) : null,
    lease_term_months: intent === "lease" ? random.pick([36, 60, 108]) : null,
    escalation_pct: intent === "lease" ? random.pick([5, 5, 6, 7.5, 10]) : null,
    gst_extra: random.chance(0.5),
    carpet_area: carpet,
    built_up_area: builtUp,
    super_built_up_area: Math.round(builtUp * 1.12),
    plot_area: type === "industrial" ? Math.round(builtUp * 1.8) : null,
    total_floors: floors,
    floor_number: floor,
    property_age_years: random.whole(0, 25),
    furnishing: goods
      ? "unfurnished"
      : random.pick([
          "unfurnished",
          "semi_furnished",
          "furnished",
          "plug_and_play",
        ]),
    seats: type === "office" ? Math.round(carpet / 65) : null,
    cabins: type === "office" ? random.whole(0, 8) : null,
    meeting_rooms: type === "office" ? random.whole(0, 4) : null,
    washrooms: random.whole(1, 8),
    pantry: goods ? null : random.chance(0.6),
    parking_covered: random.whole(0, 20),
    parking_open: random.whole(0, 30),
    lifts: floors > 2 ? random.whole(1, 4) : 0,
    power_load_kva: goods ? random.whole(50, 500) : random.whole(5, 120),
    power_backup: random.chance(0.7),
    air_conditioning: goods
      ? "none"
      : random.pick(["none", "split", "central"]),
    building_grade:
      type === "office" ? random.pick(["a_plus", "a", "b", "c"]) : null,
    facing: random.pick(["north", "north_east", "east", "south", "west"]),
    amenities: json(
      Object.fromEntries(
        random.some(AMENITIES, random.whole(2, 8)).map((flag) => [flag, true]),
      ),
    ),
    clear_height_ft: goods ? random.whole(18, 42) : null,
    dock_doors: type === "warehouse" ? random.whole(1, 12) : null,
    floor_load_t_per_sqm: goods ? random.whole(3, 8) : null,
    truck_access_ft: goods ? random.whole(30, 60) : null,
    crane_ton: type === "industrial" ? random.pick([0, 5, 10, 20]) : null,
    fire_noc: goods ? random.chance(0.8) : null,
    frontage_ft: type === "retail" ? random.whole(8, 60) : null,
    corner: type === "retail" ? random.chance(0.3) : null,
    ground_floor: type === "retail" ? floor === 0 : null,
    rera_number:
      index % 5 === 3 && RERA[city.state] ? RERA[city.state](index + 1) : null,
    ownership: random.pick([
      "freehold",
      "freehold",
      "leasehold",
      "co_operative",
    ]),
    possession: random.chance(0.85) ? "ready" : "under_construction",
    available_from: daysAgo(-random.whole(0, 90)).slice(0, 10),
    occupied: leased,
    current_rent: leased ? rent : null,
    tenant_lease_end: leased
      ? daysAgo(-random.whole(400, 1500)).slice(0, 10)
      : null,
    address: `${random.whole(1, 240)}, ${building}, ${random.pick(ROADS)}`,
    locality: locality.name,
    city: city.name,
    state: city.state,
    pincode: `${city.pincode}${String(random.whole(1, 60)).padStart(6 - city.pincode.length, "0")}`,
    lat: point.lat,
    lng: point.lng,
    location_precision: index % 10 === 6 ? "locality" : "exact",
    submitted_at: status === "draft" ? null : daysAgo(published + 2),
    published_at:
      status === "active" || status === "archived" ? daysAgo(published) : null,
    rejected_reason:
      status === "rejected"
        ? "The pictures show another building than the address says."
        : null,
    reviewed_by: reviewed ? PEOPLE[0].id : null,
    reviewed_at: reviewed ? daysAgo(published) : null,
    // Far away, so that the demo does not empty itself after half a year.
    expires_at: status === "active" ? FOREVER : null,
    featured: status === "active" && index % 14 === 2,
    verified: status === "active" && random.chance(0.35),
    view_count: 0,
    enquiry_count: 0,
    created_at: daysAgo(published + 4),
    updated_at: daysAgo(published - 1),
  };
}

export function demoProperties() {
  const taken = new Map();
  return Array.from({ length: 200 }, (_, index) => {
    const row = property(index, true);
    const uses = (taken.get(row.slug) ?? 0) + 1;
    taken.set(row.slug, uses);
    return uses === 1 ? row : { ...row, slug: `${row.slug}-${uses}` };
  });
}

export function imagesOf(row) {
  const random = randomFor(`property-images:${row.id}`);
  const scenes = SCENES[row.property_type];
  const first = random.pick(scenes.slice(0, Math.min(4, scenes.length)));
  const others = random.some(
    scenes.filter((scene) => scene !== first),
    random.whole(1, 4),
  );
  return [first, ...others].map((scene, order) => ({
    id: uuidFor(`property-image:${row.id}:${order}`),
    property_id: row.id,
    url: sceneUrl("property-images", scene),
    width: SCENE_WIDTH,
    height: SCENE_HEIGHT,
    alt:
      order === 0
        ? `Picture of the ${row.property_type.replace("_", "-")} listing in ${row.locality}, ${row.city}`
        : null,
    order,
    is_cover: order === 0,
  }));
}
