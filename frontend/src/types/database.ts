export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

type Space = {
  id: string
  slug: string
  name: string
  address: string | null
  locality: string | null
  sub_locality: string | null
  city: string
  state: string | null
  description: string | null
  image_url: string | null
  website_url: string | null
  booking_phone: string | null
  booking_email: string | null
  active: boolean
  paid_listing: boolean
  created_at: string
  coordinates: Json | null
  amenities: Json | null
  opening_hours: Json | null
  min_price: number | null
  max_price: number | null
}
type Offering = {
  id: string
  coworking_space_id: string
  offering_type: string
  price_from: number | null
  capacity: number | null
  description: string | null
  available: boolean
}
type Image = { id: string; coworking_space_id: string; url: string; order: number }
type Profile = { id: string; full_name: string | null; email: string | null; phone: string | null }

export type Database = {
  public: {
    Tables: {
      profiles: { Row: Profile; Insert: Partial<Profile>; Update: Partial<Profile>; Relationships: [] }
      coworking_space: { Row: Space; Insert: Partial<Space>; Update: Partial<Space>; Relationships: [] }
      coworking_offering_type: {
        Row: Offering
        Insert: Partial<Offering>
        Update: Partial<Offering>
        Relationships: [
          {
            foreignKeyName: 'coworking_offering_type_coworking_space_id_fkey'
            columns: ['coworking_space_id']
            isOneToOne: false
            referencedRelation: 'coworking_space'
            referencedColumns: ['id']
          },
        ]
      }
      coworking_space_images: {
        Row: Image
        Insert: Partial<Image>
        Update: Partial<Image>
        Relationships: [
          {
            foreignKeyName: 'coworking_space_images_coworking_space_id_fkey'
            columns: ['coworking_space_id']
            isOneToOne: false
            referencedRelation: 'coworking_space'
            referencedColumns: ['id']
          },
        ]
      }
    }
    Views: { [_ in never]: never }
    Functions: { [_ in never]: never }
    Enums: { [_ in never]: never }
    CompositeTypes: { [_ in never]: never }
  }
}

export type Tables<T extends keyof Database['public']['Tables']> = Database['public']['Tables'][T]['Row']
