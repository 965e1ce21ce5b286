// The sixty co-working spaces: five in each of twelve cities.
import { COWORKING_CITIES, pointNear } from "./places.mjs";
import { daysAgo, randomFor, uuidFor } from "./random.mjs";
import { SCENES, sceneUrl } from "./scenes.mjs";
import { insert, json, slugify } from "./statement.mjs";

const FEATURED = new Set([0, 6, 12, 18, 24, 30, 36, 42, 48, 54]);
const INACTIVE = new Set([3, 17, 31, 45]);
const WITHOUT_IMAGES = new Set([9, 19, 29, 39, 49, 59]);
const WITH_ONE_IMAGE = new Set([1, 8, 22, 28, 35, 41, 50, 57]);
const PRICE_ON_REQUEST = new Set([7, 16, 25, 34, 43, 52]);
const ONE_PRICE = new Set([2, 13, 26, 38, 55]);

const FIRST = [
  "Marina",
  "Banyan",
  "Kurinji",
  "Lighthouse",
  "Palmyra",
  "Kovai",
  "Loomworks",
  "Saffron",
  "Monsoon",
  "Granite",
  "Vaigai",
  "Jasmine",
  "Pillar",
  "Temple Bell",
  "Tamarind",
  "Kaveri",
  "Rockfort",
  "Red Earth",
  "Riverstone",
  "Neem",
  "Steel Yard",
  "Mango Grove",
  "Silver Hill",
  "Open Court",
  "Veranda",
  "Turmeric",
  "Spindle",
  "Weft & Warp",
  "Indigo",
  "Bhavani",
  "Garden City",
  "Cubbon",
  "Silk Board",
  "Jacaranda",
  "Filter Coffee",
  "Charminar",
  "Pearl",
  "Deccan",
  "Golconda",
  "Lakefront",
  "Harbour",
  "Sea Link",
  "Mill Lane",
  "Local Line",
  "Gateway",
  "Peshwa",
  "Sahyadri",
  "Stone Bridge",
  "Plateau",
  "Blue Hills",
  "Janpath",
  "Amaltas",
  "Baoli",
  "Arcade",
  "Mehrauli",
  "Aravalli",
  "Skyline",
  "Northstar",
  "Metro Park",
  "Millennium",
];
const SECOND = [
  "Works",
  "Commons",
  "Desk House",
  "Collective",
  "Studio",
  "Hub",
  "Workspace",
  "Loft",
  "Quarters",
  "Yard",
];
const STREETS = [
  "1st Main Road",
  "Gandhi Road",
  "Station Road",
  "Lake View Road",
  "Temple Street",
  "Ring Road",
  "Market Road",
  "Park Avenue",
];
const BUILDINGS = [
  "Sapphire Towers",
  "Lotus Plaza",
  "Orbit Centre",
  "Meridian House",
  "Sangam Arcade",
  "Prism Business Centre",
  "Emerald Court",
];
const AMENITIES = [
  "wifi",
  "parking",
  "cafeteria",
  "meeting_rooms",
  "printer",
  "reception",
  "security",
  "air_conditioning",
  "power_backup",
  "locker",
  "cleaning_service",
  "phone_booth",
];
const DAYS = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
];

// What each kind costs in the cheapest and the dearest city, the step of its prices, how many it holds.
const OFFERINGS = {
  day_pass: {
    low: 250,
    high: 900,
    step: 50,
    seats: [8, 60],
    text: "Any free desk in the open area, for one working day.",
  },
  dedicated_desk: {
    low: 4500,
    high: 14000,
    step: 250,
    seats: [6, 50],
    text: "Your own desk with a lockable drawer, by the month.",
  },
  meeting_room: {
    low: 300,
    high: 1500,
    step: 50,
    seats: [4, 16],
    text: "Screen, whiteboard and video calls, by the hour.",
  },
  private_office: {
    low: 6000,
    high: 22000,
    step: 500,
    seats: [2, 24],
    text: "A furnished cabin for a team, per seat and month.",
  },
  virtual_office: {
    low: 900,
    high: 2500,
    step: 100,
    seats: null,
    text: "A business address and handling of post, by the month.",
  },
};

const ABOUT = [
  "Daylight from two sides, quiet corners for calls, and a pantry that makes proper filter coffee.",
  "A short walk from the bus stand, with covered parking for two-wheelers and cars.",
  "Built for small teams that grow: start with a day pass and move into a cabin when you hire.",
  "Fibre from two providers and full power backup, so a working day stays a working day.",
  "Monthly community lunches, a library wall, and rooms that can be booked by the hour.",
  "The upper floor is silent; the lower floor is for talking.",
];

function space(index) {
  const place = COWORKING_CITIES[Math.floor(index / 5)];
  const locality = place.localities[index % 5];
  const name = `${FIRST[index]} ${SECOND[(index * 7) % SECOND.length]}`;
  const slug = slugify(name, locality.name, place.name);
  const random = randomFor(`coworking:${slug}`);
  const id = uuidFor(`coworking:${slug}`);

  const kinds = random.some(Object.keys(OFFERINGS), random.whole(2, 5));
  const offerings = kinds.map((kind, position) => {
    const { low, high, step, seats, text } = OFFERINGS[kind];
    const middle = low + (high - low) * place.tier;
    const spread = (high - low) * 0.12;
    const price = random.price(
      Math.max(low, middle - spread),
      Math.min(high, middle + spread),
      step,
    );
    return {
      id: uuidFor(`offering:${slug}:${kind}`),
      coworking_space_id: id,
      offering_type: kind,
      price_from: PRICE_ON_REQUEST.has(index) ? null : price,
      capacity: seats && random.whole(...seats),
      description: text,
      available: position === 0 || !random.chance(0.15),
    };
  });

  const prices = offerings
    .filter((row) => row.available && row.price_from)
    .map((row) => row.price_from);
  const lowest = prices.length > 0 ? Math.min(...prices) : null;
  const highest = ONE_PRICE.has(index)
    ? lowest
    : prices.length > 0
      ? Math.max(...prices)
      : null;

  let scenes = [];
  if (WITH_ONE_IMAGE.has(index)) {
    scenes = [SCENES.coworking[index % SCENES.coworking.length]];
  } else if (!WITHOUT_IMAGES.has(index)) {
    const first = SCENES.coworking[index % SCENES.coworking.length];
    const others = SCENES.coworking.filter((scene) => scene !== first);
    scenes = [
      first,
      ...random.some(others, random.whole(2, 3)),
      random.pick(SCENES.facade),
    ];
  }

  const point = pointNear(random, locality);
  const coordinates = [
    { lat: point.lat, lng: point.lng },
    { latitude: point.lat, longitude: point.lng },
    JSON.stringify({ lat: point.lat, lng: point.lng }),
  ][index % 3];

  const weekday = random.pick([
    "9:00 AM - 7:00 PM",
    "8:00 AM - 9:00 PM",
    "9:00 AM - 9:00 PM",
    "Open 24 hours",
  ]);
  const hours = Object.fromEntries(DAYS.map((day) => [day, weekday]));
  if (weekday !== "Open 24 hours") {
    hours.saturday = random.chance(0.7) ? "10:00 AM - 5:00 PM" : "";
    if (random.chance(0.75)) delete hours.sunday;
    else hours.sunday = "10:00 AM - 2:00 PM";
  }

  const domain = `${slugify(name)}.example.com`;
  return {
    row: {
      id,
      slug,
      name,
      address: `${random.whole(1, 180)}, ${random.pick(BUILDINGS)}, ${random.pick(STREETS)}`,
      locality: locality.name,
      sub_locality: random.chance(0.35)
        ? `${random.pick(["North", "South", "East", "West"])} ${locality.name}`
        : null,
      city: place.name,
      state: place.state,
      description: `${name} is a co-working space in ${locality.name}, ${place.name}. ${random.some(ABOUT, 3).join(" ")}`,
      image_url:
        scenes.length > 0 ? sceneUrl("coworking-images", scenes[0]) : null,
      website_url: `https://${domain}`,
      booking_phone: `+9190000${String(index).padStart(5, "0")}`,
      booking_email: `hello@${domain}`,
      active: !INACTIVE.has(index),
      paid_listing: FEATURED.has(index),
      coordinates: index % 5 === 2 ? null : json(coordinates),
      amenities: json(
        Object.fromEntries(
          AMENITIES.map((flag) => [
            flag,
            flag === "wifi" || random.chance(0.65),
          ]),
        ),
      ),
      opening_hours: json(hours),
      min_price: lowest,
      max_price: highest,
      created_at: daysAgo(5 + ((index * 23) % 60) * 2.3),
      updated_at: daysAgo(4 + ((index * 23) % 60) * 0.5),
    },
    offerings,
    images: scenes.map((scene, order) => ({
      id: uuidFor(`coworking-image:${slug}:${order}`),
      coworking_space_id: id,
      url: sceneUrl("coworking-images", scene),
      order,
    })),
  };
}

export function coworkingSql() {
  const spaces = FIRST.map((_, index) => space(index));
  return [
    insert(
      "public.coworking_space",
      spaces.map((each) => each.row),
    ),
    insert(
      "public.coworking_offering_type",
      spaces.flatMap((each) => each.offerings),
    ),
    insert(
      "public.coworking_space_images",
      spaces.flatMap((each) => each.images),
    ),
  ].join("\n");
}
