import type { DetailedProperty } from './api/get-property'
import { amenitiesOf } from './labels'
import { mainArea } from './money'

/** A property in the terms of schema.org. */
export function propertyData(property: DetailedProperty, path: string) {
  const { origin } = window.location
  const area = mainArea(property)
  const exact = property.location_precision === 'exact'
  return {
    '@type': 'RealEstateListing',
    name: property.title,
    url: new URL(path, origin).href,
    description: property.description,
    ...(property.published_at && { datePosted: property.published_at }),
    image: property.images.map(({ url }) => new URL(url, origin).href),
    offers: {
      '@type': 'Offer',
      businessFunction: `http://purl.org/goodrelations/v1#${property.intent === 'lease' ? 'LeaseOut' : 'Sell'}`,
      availability: 'https://schema.org/InStock',
      priceCurrency: 'INR',
      ...(property.price !== null && {
        price: property.price,
        ...(property.intent === 'lease' && {
          priceSpecification: {
            '@type': 'UnitPriceSpecification',
            price: property.price,
            priceCurrency: 'INR',
            unitCode: 'MON',
          },
        }),
      }),
    },
    mainEntity: {
      '@type': 'Place',
      ...(area !== null && {
        additionalProperty: {
          '@type': 'PropertyValue',
          name: 'floorSize',
          value: area,
          unitCode: 'FTK',
        },
      }),
      amenityFeature: amenitiesOf(property.amenities).map((name) => ({
        '@type': 'LocationFeatureSpecification',
        name,
        value: true,
      })),
      address: {
        '@type': 'PostalAddress',
        ...(exact && { streetAddress: property.address }),
        addressLocality: [property.locality, property.city].filter(Boolean).join(', '),
        addressRegion: property.state,
        postalCode: property.pincode,
        addressCountry: 'IN',
      },
      ...(exact &&
        property.lat !== null &&
        property.lng !== null && {
          geo: { '@type': 'GeoCoordinates', latitude: property.lat, longitude: property.lng },
        }),
    },
  }
}
