import { filterKey, type Filters } from '../filters'
import { shortlistKey } from './shortlist-key'

export const listingKeys = {
  all: ['listings'] as const,
  detail: (slug: string) => [...listingKeys.all, 'detail', slug] as const,
  owner: (id: string) => [...listingKeys.all, 'owner', id] as const,
  similar: (id: string) => [...listingKeys.all, 'similar', id] as const,
  featured: ['listings', 'featured'] as const,
  search: (filters: Filters) => [...listingKeys.all, 'search', filterKey(filters)] as const,
  count: (filters: Filters) => [...listingKeys.all, 'count', filterKey(filters)] as const,
  pins: (filters: Filters) =>
    [...listingKeys.all, 'pins', filterKey({ ...filters, sort: '', page: 1 })] as const,
  facets: (text: string) => [...listingKeys.all, 'facets', text] as const,
  suggest: (text: string) => [...listingKeys.all, 'suggest', text] as const,
  viewed: (user: string) => [...listingKeys.all, 'viewed', user] as const,
  shortlist: shortlistKey,
}

export const enquiryKeys = {
  all: ['enquiries'] as const,
  received: (user: string) => [...enquiryKeys.all, 'received', user] as const,
  sent: (user: string) => [...enquiryKeys.all, 'sent', user] as const,
  fresh: (user: string) => [...enquiryKeys.all, 'fresh', user] as const,
}
