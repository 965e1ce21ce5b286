import { Constants, type Enums, type Json } from '@/types/database'

/** The values of the database to the keys of their words. */
export const TYPES: Readonly<Record<Enums<'property_type'>, string>> = {
  office: 'prOffice',
  retail: 'prRetail',
  warehouse: 'prWarehouse',
  industrial: 'prIndustrial',
  mixed_use: 'prMixedUse',
}
export const INTENTS: Readonly<Record<Enums<'listing_intent'>, string>> = {
  lease: 'prForLease',
  sale: 'prForSale',
}
export const SUB_TYPES: Readonly<Record<Enums<'property_type'>, Readonly<Record<string, string>>>> = {
  office: {
    it_park: 'suItPark',
    corporate: 'suCorporate',
    business_centre: 'suBusinessCentre',
    standalone: 'suStandalone',
    sez: 'suSez',
  },
  retail: {
    shop: 'suShop',
    showroom: 'suShowroom',
    mall: 'suMall',
    high_street: 'suHighStreet',
    food_court: 'suFoodCourt',
    kiosk: 'suKiosk',
  },
  warehouse: {
    godown: 'suGodown',
    cold_storage: 'suColdStorage',
    logistics_park: 'suLogisticsPark',
    fulfilment_centre: 'suFulfilmentCentre',
  },
  industrial: {
    shed: 'suShed',
    factory: 'suFactory',
    industrial_plot: 'suIndustrialPlot',
    workshop: 'suWorkshop',
  },
  mixed_use: {
    shop_office: 'suShopOffice',
    commercial_complex: 'suCommercialComplex',
    whole_building: 'suWholeBuilding',
  },
}
export const ALL_SUB_TYPES: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(SUB_TYPES))
export const FURNISHINGS: Readonly<Record<Enums<'furnishing'>, string>> = {
  unfurnished: 'fuUnfurnished',
  semi_furnished: 'fuSemi',
  furnished: 'fuFurnished',
  plug_and_play: 'fuPlugAndPlay',
}
export const GRADES: Readonly<Record<Enums<'building_grade'>, string>> = {
  a_plus: 'grAPlus',
  a: 'grA',
  b: 'grB',
  c: 'grC',
}
export const POSSESSIONS: Readonly<Record<Enums<'possession'>, string>> = {
  ready: 'poReady',
  under_construction: 'poUnderConstruction',
}
export const OWNERSHIPS: Readonly<Record<Enums<'ownership'>, string>> = {
  freehold: 'owFreehold',
  leasehold: 'owLeasehold',
  co_operative: 'owCoOperative',
  power_of_attorney: 'owPowerOfAttorney',
}
export const COOLING: Readonly<Record<Enums<'air_conditioning'>, string>> = {
  none: 'coNone',
  split: 'coSplit',
  central: 'coCentral',
}
export const STATUSES: Readonly<Record<Enums<'property_status'>, string>> = {
  draft: 'stDraft',
  pending: 'stPending',
  active: 'stActive',
  rejected: 'stRejected',
  archived: 'stArchived',
}
export const FACINGS: Readonly<Record<string, string>> = {
  north: 'faNorth',
  north_east: 'faNorthEast',
  east: 'faEast',
  south_east: 'faSouthEast',
  south: 'faSouth',
  south_west: 'faSouthWest',
  west: 'faWest',
  north_west: 'faNorthWest',
}
export const AMENITIES: Readonly<Record<string, string>> = {
  wifi: 'amWifi',
  security: 'amSecurity',
  cctv: 'amCctv',
  visitor_parking: 'amVisitorParking',
  cafeteria: 'amCafeteria',
  fire_safety: 'amFireSafety',
  wheelchair_access: 'amWheelchair',
  ev_charging: 'amEvCharging',
  gym: 'amGym',
  atm: 'amAtm',
  rain_water_harvesting: 'amRainWater',
  solar: 'amSolar',
}

export const amenitiesOf = (value: Json) =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.keys(AMENITIES).filter((key) => value[key] === true)
    : []

export const ENUMS = Constants.public.Enums

export const ENQUIRY_STATUSES: Readonly<Record<Enums<'enquiry_status'>, string>> = {
  new: 'esNew',
  read: 'esRead',
  responded: 'esResponded',
  closed: 'esClosed',
  // Whoever sent it is not told what was thought of it.
  spam: 'esClosed',
}
