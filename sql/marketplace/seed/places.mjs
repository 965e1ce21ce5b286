// The cities of the seed: localities with their approximate centres, and how expensive each city is.
// `tier` is 0 (small town) to 1 (most expensive).

const city = (name, state, tier, pincode, localities) => ({
  name,
  state,
  tier,
  pincode,
  localities: localities.map(([locality, lat, lng]) => ({
    name: locality,
    lat,
    lng,
  })),
});

export const COWORKING_CITIES = [
  city("Chennai", "Tamil Nadu", 0.6, "6000", [
    ["T. Nagar", 13.0418, 80.2341],
    ["Guindy", 13.0067, 80.2206],
    ["Perungudi", 12.9654, 80.2461],
    ["Nungambakkam", 13.0569, 80.2425],
    ["Anna Nagar", 13.085, 80.2101],
    ["Ambattur", 13.1143, 80.1548],
  ]),
  city("Coimbatore", "Tamil Nadu", 0.35, "6410", [
    ["R.S. Puram", 11.0085, 76.9453],
    ["Peelamedu", 11.0254, 77.0027],
    ["Gandhipuram", 11.0183, 76.9667],
    ["Saravanampatti", 11.0797, 77.0015],
    ["Race Course", 10.9996, 76.9735],
    ["Singanallur", 10.9989, 77.0322],
  ]),
  city("Madurai", "Tamil Nadu", 0.15, "6250", [
    ["K.K. Nagar", 9.932, 78.1473],
    ["Anna Nagar", 9.9195, 78.1465],
    ["Simmakkal", 9.9253, 78.1188],
    ["Bypass Road", 9.9168, 78.0938],
    ["Tallakulam", 9.9386, 78.1328],
  ]),
  city("Tiruchirappalli", "Tamil Nadu", 0.15, "6200", [
    ["Thillai Nagar", 10.8286, 78.6817],
    ["Cantonment", 10.8017, 78.6856],
    ["Srirangam", 10.8624, 78.6933],
    ["K.K. Nagar", 10.7652, 78.6885],
    ["Puthur", 10.8143, 78.6785],
  ]),
  city("Salem", "Tamil Nadu", 0.1, "6360", [
    ["Fairlands", 11.6726, 78.1424],
    ["Hasthampatti", 11.6738, 78.1589],
    ["Suramangalam", 11.6706, 78.1146],
    ["Alagapuram", 11.6783, 78.1362],
    ["Five Roads", 11.6688, 78.1391],
  ]),
  city("Erode", "Tamil Nadu", 0.08, "6380", [
    ["Perundurai Road", 11.3337, 77.7026],
    ["Surampatti", 11.3265, 77.7128],
    ["Brough Road", 11.3411, 77.7231],
    ["Solar", 11.3039, 77.7369],
    ["Thindal", 11.3196, 77.6785],
  ]),
  city("Bengaluru", "Karnataka", 0.85, "5600", [
    ["Koramangala", 12.9352, 77.6245],
    ["Indiranagar", 12.9784, 77.6408],
    ["Whitefield", 12.9698, 77.75],
    ["HSR Layout", 12.9121, 77.6446],
    ["MG Road", 12.9756, 77.6066],
    ["Peenya", 13.0285, 77.5197],
  ]),
  city("Hyderabad", "Telangana", 0.65, "5000", [
    ["HITEC City", 17.4435, 78.3772],
    ["Gachibowli", 17.4401, 78.3489],
    ["Banjara Hills", 17.4138, 78.4398],
    ["Madhapur", 17.4483, 78.3915],
    ["Begumpet", 17.4447, 78.4664],
    ["Patancheru", 17.5333, 78.2645],
  ]),
  city("Mumbai", "Maharashtra", 1, "4000", [
    ["Bandra Kurla Complex", 19.0653, 72.8689],
    ["Andheri East", 19.1155, 72.8727],
    ["Lower Parel", 18.9977, 72.8302],
    ["Powai", 19.1176, 72.906],
    ["Nariman Point", 18.9256, 72.8242],
    ["Bhiwandi", 19.2813, 73.0483],
  ]),
  city("Pune", "Maharashtra", 0.6, "4110", [
    ["Hinjawadi", 18.5913, 73.7389],
    ["Kharadi", 18.5515, 73.9348],
    ["Baner", 18.559, 73.7868],
    ["Viman Nagar", 18.5679, 73.9143],
    ["Koregaon Park", 18.5362, 73.8939],
    ["Chakan", 18.7606, 73.8636],
  ]),
  city("Delhi", "Delhi", 0.9, "1100", [
    ["Connaught Place", 28.6315, 77.2167],
    ["Nehru Place", 28.5494, 77.2513],
    ["Saket", 28.5245, 77.2066],
    ["Okhla", 28.5355, 77.2732],
    ["Aerocity", 28.5489, 77.1208],
    ["Naraina", 28.6318, 77.1377],
  ]),
  city("Gurugram", "Haryana", 0.85, "1220", [
    ["Cyber City", 28.495, 77.089],
    ["Golf Course Road", 28.4505, 77.0986],
    ["Udyog Vihar", 28.5019, 77.0855],
    ["Sohna Road", 28.4089, 77.0417],
    ["MG Road", 28.4796, 77.0802],
    ["Manesar", 28.3515, 76.9428],
  ]),
];

export const CITIES = [
  ...COWORKING_CITIES,
  city("Hosur", "Tamil Nadu", 0.15, "6351", [
    ["SIPCOT Phase I", 12.7452, 77.8066],
    ["Bagalur Road", 12.7546, 77.8412],
    ["Mathigiri", 12.6958, 77.8112],
  ]),
  city("Tiruppur", "Tamil Nadu", 0.15, "6416", [
    ["Avinashi Road", 11.1245, 77.3322],
    ["Kangeyam Road", 11.1015, 77.3639],
    ["Palladam Road", 11.0864, 77.3343],
  ]),
  city("Vellore", "Tamil Nadu", 0.1, "6320", [
    ["Sathuvachari", 12.9379, 79.1591],
    ["Katpadi", 12.9724, 79.1378],
    ["Gandhi Nagar", 12.9505, 79.138],
  ]),
  city("Sriperumbudur", "Tamil Nadu", 0.25, "6021", [
    ["SIPCOT Industrial Park", 12.9846, 79.9591],
    ["Oragadam", 12.8362, 79.9473],
    ["Irungattukottai", 12.9985, 79.9953],
  ]),
];

/** A point within about a kilometre of the locality's centre. */
export function pointNear(random, locality) {
  return {
    lat: Number((locality.lat + random.between(-0.006, 0.006)).toFixed(5)),
    lng: Number((locality.lng + random.between(-0.006, 0.006)).toFixed(5)),
  };
}
