export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  public: {
    Tables: {
      account_deletions: {
        Row: {
          created_at: string
          reason: string | null
          user_id: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          reason?: string | null
          user_id?: string
        }
        Update: {
          created_at?: string
          reason?: string | null
          user_id?: string
        }
        Relationships: []
      }
      admin_events: {
        Row: {
          action: string
          actor: string | null
          at: string
          details: NonNullable<Json>
          id: string
          subject: string | null
          subject_id: string
          subject_type: string
        }
        ComputedFields: never
        Insert: {
          action: string
          actor?: string | null
          at?: string
          details?: NonNullable<Json>
          id?: string
          subject?: string | null
          subject_id: string
          subject_type: string
        }
        Update: {
          action?: string
          actor?: string | null
          at?: string
          details?: NonNullable<Json>
          id?: string
          subject?: string | null
          subject_id?: string
          subject_type?: string
        }
        Relationships: []
      }
      contact_messages: {
        Row: {
          created_at: string
          email: string
          handled_at: string | null
          handled_by: string | null
          id: string
          message: string
          name: string
          phone: string | null
          sender_hash: string | null
          subject: string | null
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          email: string
          handled_at?: string | null
          handled_by?: string | null
          id?: string
          message: string
          name: string
          phone?: string | null
          sender_hash?: string | null
          subject?: string | null
          updated_at?: string
        }
        Update: {
          created_at?: string
          email?: string
          handled_at?: string | null
          handled_by?: string | null
          id?: string
          message?: string
          name?: string
          phone?: string | null
          sender_hash?: string | null
          subject?: string | null
          updated_at?: string
        }
        Relationships: []
      }
      coworking_offering_type: {
        Row: {
          available: boolean
          capacity: number | null
          coworking_space_id: string
          created_at: string
          description: string | null
          id: string
          offering_type: Database['public']['Enums']['coworking_offering']
          price_from: number | null
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          available?: boolean
          capacity?: number | null
          coworking_space_id: string
          created_at?: string
          description?: string | null
          id?: string
          offering_type: Database['public']['Enums']['coworking_offering']
          price_from?: number | null
          updated_at?: string
        }
        Update: {
          available?: boolean
          capacity?: number | null
          coworking_space_id?: string
          created_at?: string
          description?: string | null
          id?: string
          offering_type?: Database['public']['Enums']['coworking_offering']
          price_from?: number | null
          updated_at?: string
        }
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
      coworking_space: {
        Row: {
          active: boolean
          address: string
          amenities: NonNullable<Json>
          booking_email: string | null
          booking_phone: string | null
          city: string
          coordinates: Json | null
          created_at: string
          description: string | null
          id: string
          image_url: string | null
          locality: string
          max_price: number | null
          min_price: number | null
          name: string
          opening_hours: NonNullable<Json>
          paid_listing: boolean
          slug: string
          state: string
          sub_locality: string | null
          updated_at: string
          website_url: string | null
        }
        ComputedFields: never
        Insert: {
          active?: boolean
          address: string
          amenities?: NonNullable<Json>
          booking_email?: string | null
          booking_phone?: string | null
          city: string
          coordinates?: Json | null
          created_at?: string
          description?: string | null
          id?: string
          image_url?: string | null
          locality: string
          max_price?: number | null
          min_price?: number | null
          name: string
          opening_hours?: NonNullable<Json>
          paid_listing?: boolean
          slug: string
          state: string
          sub_locality?: string | null
          updated_at?: string
          website_url?: string | null
        }
        Update: {
          active?: boolean
          address?: string
          amenities?: NonNullable<Json>
          booking_email?: string | null
          booking_phone?: string | null
          city?: string
          coordinates?: Json | null
          created_at?: string
          description?: string | null
          id?: string
          image_url?: string | null
          locality?: string
          max_price?: number | null
          min_price?: number | null
          name?: string
          opening_hours?: NonNullable<Json>
          paid_listing?: boolean
          slug?: string
          state?: string
          sub_locality?: string | null
          updated_at?: string
          website_url?: string | null
        }
        Relationships: []
      }
      coworking_space_images: {
        Row: {
          coworking_space_id: string
          created_at: string
          id: string
          order: number
          updated_at: string
          url: string
        }
        ComputedFields: never
        Insert: {
          coworking_space_id: string
          created_at?: string
          id?: string
          order?: number
          updated_at?: string
          url: string
        }
        Update: {
          coworking_space_id?: string
          created_at?: string
          id?: string
          order?: number
          updated_at?: string
          url?: string
        }
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
      enquiries: {
        Row: {
          created_at: string
          email: string | null
          id: string
          intent: Database['public']['Enums']['enquiry_intent']
          message: string
          name: string
          notified_at: string | null
          owner_id: string
          phone: string | null
          preferred_time: string | null
          property_id: string
          responded_at: string | null
          sender_id: string
          status: Database['public']['Enums']['enquiry_status']
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          email?: string | null
          id?: string
          intent?: Database['public']['Enums']['enquiry_intent']
          message: string
          name: string
          notified_at?: string | null
          owner_id: string
          phone?: string | null
          preferred_time?: string | null
          property_id: string
          responded_at?: string | null
          sender_id?: string
          status?: Database['public']['Enums']['enquiry_status']
          updated_at?: string
        }
        Update: {
          created_at?: string
          email?: string | null
          id?: string
          intent?: Database['public']['Enums']['enquiry_intent']
          message?: string
          name?: string
          notified_at?: string | null
          owner_id?: string
          phone?: string | null
          preferred_time?: string | null
          property_id?: string
          responded_at?: string | null
          sender_id?: string
          status?: Database['public']['Enums']['enquiry_status']
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: 'enquiries_owner_id_fkey'
            columns: ['owner_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'enquiries_property_id_fkey'
            columns: ['property_id']
            isOneToOne: false
            referencedRelation: 'properties'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'enquiries_sender_id_fkey'
            columns: ['sender_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      moderation_events: {
        Row: {
          actor: string | null
          at: string
          from: Database['public']['Enums']['property_status'] | null
          id: string
          property_id: string
          reason: string | null
          to: Database['public']['Enums']['property_status']
        }
        ComputedFields: never
        Insert: {
          actor?: string | null
          at?: string
          from?: Database['public']['Enums']['property_status'] | null
          id?: string
          property_id: string
          reason?: string | null
          to: Database['public']['Enums']['property_status']
        }
        Update: {
          actor?: string | null
          at?: string
          from?: Database['public']['Enums']['property_status'] | null
          id?: string
          property_id?: string
          reason?: string | null
          to?: Database['public']['Enums']['property_status']
        }
        Relationships: [
          {
            foreignKeyName: 'moderation_events_property_id_fkey'
            columns: ['property_id']
            isOneToOne: false
            referencedRelation: 'properties'
            referencedColumns: ['id']
          },
        ]
      }
      profiles: {
        Row: {
          avatar_url: string | null
          city: string | null
          company: string | null
          created_at: string
          email: string | null
          enquiry_mail: boolean
          enquiry_sms: boolean
          full_name: string
          id: string
          locale: Database['public']['Enums']['locale']
          marketing_opt_in: boolean
          phone: string | null
          phone_verified: boolean
          updated_at: string
          user_type: Database['public']['Enums']['user_type'] | null
          verified_buyer: boolean
        }
        ComputedFields: never
        Insert: {
          avatar_url?: string | null
          city?: string | null
          company?: string | null
          created_at?: string
          email?: string | null
          enquiry_mail?: boolean
          enquiry_sms?: boolean
          full_name?: string
          id: string
          locale?: Database['public']['Enums']['locale']
          marketing_opt_in?: boolean
          phone?: string | null
          phone_verified?: boolean
          updated_at?: string
          user_type?: Database['public']['Enums']['user_type'] | null
          verified_buyer?: boolean
        }
        Update: {
          avatar_url?: string | null
          city?: string | null
          company?: string | null
          created_at?: string
          email?: string | null
          enquiry_mail?: boolean
          enquiry_sms?: boolean
          full_name?: string
          id?: string
          locale?: Database['public']['Enums']['locale']
          marketing_opt_in?: boolean
          phone?: string | null
          phone_verified?: boolean
          updated_at?: string
          user_type?: Database['public']['Enums']['user_type'] | null
          verified_buyer?: boolean
        }
        Relationships: []
      }
      properties: {
        Row: {
          address: string | null
          air_conditioning: Database['public']['Enums']['air_conditioning'] | null
          amenities: NonNullable<Json>
          available_from: string | null
          balconies: number | null
          building_grade: Database['public']['Enums']['building_grade'] | null
          built_up_area: number | null
          cabins: number | null
          carpet_area: number | null
          city: string | null
          clear_height_ft: number | null
          corner: boolean | null
          crane_ton: number | null
          created_at: string
          current_rent: number | null
          description: string | null
          dock_doors: number | null
          enquiry_count: number
          escalation_pct: number | null
          expires_at: string | null
          facing: string | null
          featured: boolean
          fire_noc: boolean | null
          floor_load_t_per_sqm: number | null
          floor_number: number | null
          frontage_ft: number | null
          fts: unknown
          furnishing: Database['public']['Enums']['furnishing'] | null
          ground_floor: boolean | null
          gst_extra: boolean
          id: string
          intent: Database['public']['Enums']['listing_intent']
          lat: number | null
          lease_term_months: number | null
          lifts: number | null
          lng: number | null
          locality: string | null
          location_precision: Database['public']['Enums']['location_precision']
          lock_in_months: number | null
          maintenance_monthly: number | null
          meeting_rooms: number | null
          occupied: boolean
          owner_id: string
          ownership: Database['public']['Enums']['ownership'] | null
          pantry: boolean | null
          parking_covered: number | null
          parking_open: number | null
          pincode: string | null
          plot_area: number | null
          possession: Database['public']['Enums']['possession'] | null
          power_backup: boolean | null
          power_load_kva: number | null
          price: number | null
          price_negotiable: boolean
          price_per_sqft: number | null
          property_age_years: number | null
          property_type: Database['public']['Enums']['property_type']
          published_at: string | null
          rejected_reason: string | null
          rera_number: string | null
          rera_url: string | null
          reviewed_at: string | null
          reviewed_by: string | null
          seats: number | null
          security_deposit_months: number | null
          slug: string
          state: string | null
          status: Database['public']['Enums']['property_status']
          sub_locality: string | null
          sub_type: string | null
          submitted_at: string | null
          super_built_up_area: number | null
          tenant_lease_end: string | null
          title: string | null
          total_floors: number | null
          truck_access_ft: number | null
          updated_at: string
          verified: boolean
          view_count: number
          washrooms: number | null
        }
        ComputedFields: never
        Insert: {
          address?: string | null
          air_conditioning?: Database['public']['Enums']['air_conditioning'] | null
          amenities?: NonNullable<Json>
          available_from?: string | null
          balconies?: number | null
          building_grade?: Database['public']['Enums']['building_grade'] | null
          built_up_area?: number | null
          cabins?: number | null
          carpet_area?: number | null
          city?: string | null
          clear_height_ft?: number | null
          corner?: boolean | null
          crane_ton?: number | null
          created_at?: string
          current_rent?: number | null
          description?: string | null
          dock_doors?: number | null
          enquiry_count?: number
          escalation_pct?: number | null
          expires_at?: string | null
          facing?: string | null
          featured?: boolean
          fire_noc?: boolean | null
          floor_load_t_per_sqm?: number | null
          floor_number?: number | null
          frontage_ft?: number | null
          fts?: never
          furnishing?: Database['public']['Enums']['furnishing'] | null
          ground_floor?: boolean | null
          gst_extra?: boolean
          id?: string
          intent: Database['public']['Enums']['listing_intent']
          lat?: number | null
          lease_term_months?: number | null
          lifts?: number | null
          lng?: number | null
          locality?: string | null
          location_precision?: Database['public']['Enums']['location_precision']
          lock_in_months?: number | null
          maintenance_monthly?: number | null
          meeting_rooms?: number | null
          occupied?: boolean
          owner_id: string
          ownership?: Database['public']['Enums']['ownership'] | null
          pantry?: boolean | null
          parking_covered?: number | null
          parking_open?: number | null
          pincode?: string | null
          plot_area?: number | null
          possession?: Database['public']['Enums']['possession'] | null
          power_backup?: boolean | null
          power_load_kva?: number | null
          price?: number | null
          price_negotiable?: boolean
          price_per_sqft?: never
          property_age_years?: number | null
          property_type: Database['public']['Enums']['property_type']
          published_at?: string | null
          rejected_reason?: string | null
          rera_number?: string | null
          rera_url?: string | null
          reviewed_at?: string | null
          reviewed_by?: string | null
          seats?: number | null
          security_deposit_months?: number | null
          slug: string
          state?: string | null
          status?: Database['public']['Enums']['property_status']
          sub_locality?: string | null
          sub_type?: string | null
          submitted_at?: string | null
          super_built_up_area?: number | null
          tenant_lease_end?: string | null
          title?: string | null
          total_floors?: number | null
          truck_access_ft?: number | null
          updated_at?: string
          verified?: boolean
          view_count?: number
          washrooms?: number | null
        }
        Update: {
          address?: string | null
          air_conditioning?: Database['public']['Enums']['air_conditioning'] | null
          amenities?: NonNullable<Json>
          available_from?: string | null
          balconies?: number | null
          building_grade?: Database['public']['Enums']['building_grade'] | null
          built_up_area?: number | null
          cabins?: number | null
          carpet_area?: number | null
          city?: string | null
          clear_height_ft?: number | null
          corner?: boolean | null
          crane_ton?: number | null
          created_at?: string
          current_rent?: number | null
          description?: string | null
          dock_doors?: number | null
          enquiry_count?: number
          escalation_pct?: number | null
          expires_at?: string | null
          facing?: string | null
          featured?: boolean
          fire_noc?: boolean | null
          floor_load_t_per_sqm?: number | null
          floor_number?: number | null
          frontage_ft?: number | null
          fts?: never
          furnishing?: Database['public']['Enums']['furnishing'] | null
          ground_floor?: boolean | null
          gst_extra?: boolean
          id?: string
          intent?: Database['public']['Enums']['listing_intent']
          lat?: number | null
          lease_term_months?: number | null
          lifts?: number | null
          lng?: number | null
          locality?: string | null
          location_precision?: Database['public']['Enums']['location_precision']
          lock_in_months?: number | null
          maintenance_monthly?: number | null
          meeting_rooms?: number | null
          occupied?: boolean
          owner_id?: string
          ownership?: Database['public']['Enums']['ownership'] | null
          pantry?: boolean | null
          parking_covered?: number | null
          parking_open?: number | null
          pincode?: string | null
          plot_area?: number | null
          possession?: Database['public']['Enums']['possession'] | null
          power_backup?: boolean | null
          power_load_kva?: number | null
          price?: number | null
          price_negotiable?: boolean
          price_per_sqft?: never
          property_age_years?: number | null
          property_type?: Database['public']['Enums']['property_type']
          published_at?: string | null
          rejected_reason?: string | null
          rera_number?: string | null
          rera_url?: string | null
          reviewed_at?: string | null
          reviewed_by?: string | null
          seats?: number | null
          security_deposit_months?: number | null
          slug?: string
          state?: string | null
          status?: Database['public']['Enums']['property_status']
          sub_locality?: string | null
          sub_type?: string | null
          submitted_at?: string | null
          super_built_up_area?: number | null
          tenant_lease_end?: string | null
          title?: string | null
          total_floors?: number | null
          truck_access_ft?: number | null
          updated_at?: string
          verified?: boolean
          view_count?: number
          washrooms?: number | null
        }
        Relationships: [
          {
            foreignKeyName: 'properties_owner_id_fkey'
            columns: ['owner_id']
            isOneToOne: false
            referencedRelation: 'profiles'
            referencedColumns: ['id']
          },
        ]
      }
      property_images: {
        Row: {
          alt: string | null
          blurhash: string | null
          created_at: string
          height: number | null
          id: string
          is_cover: boolean
          order: number
          path: string | null
          property_id: string
          updated_at: string
          url: string
          width: number | null
        }
        ComputedFields: never
        Insert: {
          alt?: string | null
          blurhash?: string | null
          created_at?: string
          height?: number | null
          id?: string
          is_cover?: boolean
          order?: number
          path?: string | null
          property_id: string
          updated_at?: string
          url: string
          width?: number | null
        }
        Update: {
          alt?: string | null
          blurhash?: string | null
          created_at?: string
          height?: number | null
          id?: string
          is_cover?: boolean
          order?: number
          path?: string | null
          property_id?: string
          updated_at?: string
          url?: string
          width?: number | null
        }
        Relationships: [
          {
            foreignKeyName: 'property_images_property_id_fkey'
            columns: ['property_id']
            isOneToOne: false
            referencedRelation: 'properties'
            referencedColumns: ['id']
          },
        ]
      }
      property_views: {
        Row: {
          created_at: string
          last_viewed_at: string
          property_id: string
          times: number
          updated_at: string
          user_id: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          last_viewed_at?: string
          property_id: string
          times?: number
          updated_at?: string
          user_id?: string
        }
        Update: {
          created_at?: string
          last_viewed_at?: string
          property_id?: string
          times?: number
          updated_at?: string
          user_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'property_views_property_id_fkey'
            columns: ['property_id']
            isOneToOne: false
            referencedRelation: 'properties'
            referencedColumns: ['id']
          },
        ]
      }
      reports: {
        Row: {
          created_at: string
          details: string | null
          handled_at: string | null
          handled_by: string | null
          id: string
          property_id: string
          reason: string
          reporter: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          details?: string | null
          handled_at?: string | null
          handled_by?: string | null
          id?: string
          property_id: string
          reason: string
          reporter?: string
          updated_at?: string
        }
        Update: {
          created_at?: string
          details?: string | null
          handled_at?: string | null
          handled_by?: string | null
          id?: string
          property_id?: string
          reason?: string
          reporter?: string
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: 'reports_property_id_fkey'
            columns: ['property_id']
            isOneToOne: false
            referencedRelation: 'properties'
            referencedColumns: ['id']
          },
        ]
      }
      saved_searches: {
        Row: {
          alert: Database['public']['Enums']['search_alert']
          created_at: string
          id: string
          last_notified_at: string | null
          name: string
          query: NonNullable<Json>
          updated_at: string
          user_id: string
        }
        ComputedFields: never
        Insert: {
          alert?: Database['public']['Enums']['search_alert']
          created_at?: string
          id?: string
          last_notified_at?: string | null
          name: string
          query: NonNullable<Json>
          updated_at?: string
          user_id?: string
        }
        Update: {
          alert?: Database['public']['Enums']['search_alert']
          created_at?: string
          id?: string
          last_notified_at?: string | null
          name?: string
          query?: NonNullable<Json>
          updated_at?: string
          user_id?: string
        }
        Relationships: []
      }
      shortlists: {
        Row: {
          created_at: string
          note: string | null
          property_id: string
          updated_at: string
          user_id: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          note?: string | null
          property_id: string
          updated_at?: string
          user_id?: string
        }
        Update: {
          created_at?: string
          note?: string | null
          property_id?: string
          updated_at?: string
          user_id?: string
        }
        Relationships: [
          {
            foreignKeyName: 'shortlists_property_id_fkey'
            columns: ['property_id']
            isOneToOne: false
            referencedRelation: 'properties'
            referencedColumns: ['id']
          },
        ]
      }
    }
    Views: {
      audit_log: {
        Row: {
          action: string | null
          actor: string | null
          actor_name: string | null
          at: string | null
          details: Json | null
          id: string | null
          subject: string | null
          subject_id: string | null
          subject_type: string | null
        }
        ComputedFields: never
        Relationships: []
      }
    }
    Functions: {
      admin_counts: {
        Args: Record<PropertyKey, never>
        Returns: {
          messages: number
          pending: number
          reports: number
        }[]
      }
      administrators: {
        Args: Record<PropertyKey, never>
        Returns: {
          user_id: string
        }[]
      }
      contact_owner: {
        Args: { message: string; name: string; phone: string; property_id: string }
        Returns: {
          owner_email: string
          owner_name: string
          owner_phone: string
        }[]
      }
      contacted_owners: {
        Args: Record<PropertyKey, never>
        Returns: {
          owner_email: string
          owner_name: string
          owner_phone: string
          property_id: string
        }[]
      }
      is_admin: { Args: Record<PropertyKey, never>; Returns: boolean }
      moderate: {
        Args: { p_id: string; reason?: string; to: Database['public']['Enums']['property_status'] }
        Returns: Database['public']['Enums']['property_status']
      }
      owner_card: {
        Args: { p_id: string }
        Returns: {
          avatar_url: string
          company: string
          listing_count: number
          name: string
          owner_id: string
          verified: boolean
        }[]
      }
      possible_duplicates: {
        Args: { p_id: string }
        Returns: {
          address: string
          city: string
          id: string
          likeness: number
          locality: string
          owner_name: string
          same_address: boolean
          slug: string
          status: Database['public']['Enums']['property_status']
          title: string
        }[]
      }
      property_facets: {
        Args: { bbox?: string; q?: string }
        Returns: {
          count: number
          facet: string
          value: string
        }[]
      }
      record_view: { Args: { p_id: string }; Returns: undefined }
      save_space: {
        Args: { p_id?: string; p_offerings: Json; p_space: Json }
        Returns: {
          id: string
          slug: string
        }[]
      }
      search_properties: {
        Args: { bbox?: string; q?: string }
        Returns: {
          address: string | null
          air_conditioning: Database['public']['Enums']['air_conditioning'] | null
          amenities: NonNullable<Json>
          available_from: string | null
          balconies: number | null
          building_grade: Database['public']['Enums']['building_grade'] | null
          built_up_area: number | null
          cabins: number | null
          carpet_area: number | null
          city: string | null
          clear_height_ft: number | null
          corner: boolean | null
          crane_ton: number | null
          created_at: string
          current_rent: number | null
          description: string | null
          dock_doors: number | null
          enquiry_count: number
          escalation_pct: number | null
          expires_at: string | null
          facing: string | null
          featured: boolean
          fire_noc: boolean | null
          floor_load_t_per_sqm: number | null
          floor_number: number | null
          frontage_ft: number | null
          fts: unknown
          furnishing: Database['public']['Enums']['furnishing'] | null
          ground_floor: boolean | null
          gst_extra: boolean
          id: string
          intent: Database['public']['Enums']['listing_intent']
          lat: number | null
          lease_term_months: number | null
          lifts: number | null
          lng: number | null
          locality: string | null
          location_precision: Database['public']['Enums']['location_precision']
          lock_in_months: number | null
          maintenance_monthly: number | null
          meeting_rooms: number | null
          occupied: boolean
          owner_id: string
          ownership: Database['public']['Enums']['ownership'] | null
          pantry: boolean | null
          parking_covered: number | null
          parking_open: number | null
          pincode: string | null
          plot_area: number | null
          possession: Database['public']['Enums']['possession'] | null
          power_backup: boolean | null
          power_load_kva: number | null
          price: number | null
          price_negotiable: boolean
          price_per_sqft: number | null
          property_age_years: number | null
          property_type: Database['public']['Enums']['property_type']
          published_at: string | null
          rejected_reason: string | null
          rera_number: string | null
          rera_url: string | null
          reviewed_at: string | null
          reviewed_by: string | null
          seats: number | null
          security_deposit_months: number | null
          slug: string
          state: string | null
          status: Database['public']['Enums']['property_status']
          sub_locality: string | null
          sub_type: string | null
          submitted_at: string | null
          super_built_up_area: number | null
          tenant_lease_end: string | null
          title: string | null
          total_floors: number | null
          truck_access_ft: number | null
          updated_at: string
          verified: boolean
          view_count: number
          washrooms: number | null
        }[]
        SetofOptions: {
          from: '*'
          to: 'properties'
          isOneToOne: false
          isSetofReturn: true
        }
      }
      set_handled: { Args: { handled: boolean; kind: string; p_id: string }; Returns: boolean }
      set_verified_buyer: { Args: { user_id: string; verified: boolean }; Returns: boolean }
      suggest: {
        Args: { q: string }
        Returns: {
          city: string
          kind: string
          label: string
        }[]
      }
      take_contact_message: {
        Args: {
          email: string
          message: string
          name: string
          phone: string
          sender_hash: string
          subject: string
        }
        Returns: string
      }
    }
    Enums: {
      air_conditioning: 'none' | 'split' | 'central'
      building_grade: 'a_plus' | 'a' | 'b' | 'c'
      coworking_offering: 'day_pass' | 'meeting_room' | 'dedicated_desk' | 'private_office' | 'virtual_office'
      enquiry_intent: 'info' | 'visit' | 'price'
      enquiry_status: 'new' | 'read' | 'responded' | 'closed' | 'spam'
      furnishing: 'unfurnished' | 'semi_furnished' | 'furnished' | 'plug_and_play'
      listing_intent: 'sale' | 'lease'
      locale: 'en' | 'hi' | 'ta'
      location_precision: 'exact' | 'locality'
      ownership: 'freehold' | 'leasehold' | 'co_operative' | 'power_of_attorney'
      possession: 'ready' | 'under_construction'
      property_status: 'draft' | 'pending' | 'active' | 'rejected' | 'archived'
      property_type: 'office' | 'retail' | 'warehouse' | 'industrial' | 'mixed_use'
      search_alert: 'off' | 'daily' | 'instant'
      user_type: 'buyer' | 'seller' | 'owner' | 'broker'
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
}

type DatabaseWithoutInternals = Omit<Database, '__InternalSupabase'>

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, 'public'>]

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    keyof (DefaultSchema['Tables'] & DefaultSchema['Views']) | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Tables'] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Views'])
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Tables'] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Views'])[TableName] extends {
      Row: infer R
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema['Tables'] & DefaultSchema['Views'])
    ? (DefaultSchema['Tables'] & DefaultSchema['Views'])[DefaultSchemaTableNameOrOptions] extends {
        Row: infer R
      }
      ? R
      : never
    : never

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    keyof DefaultSchema['Tables'] | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Tables']
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Tables'][TableName] extends {
      Insert: infer I
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema['Tables']
    ? DefaultSchema['Tables'][DefaultSchemaTableNameOrOptions] extends {
        Insert: infer I
      }
      ? I
      : never
    : never

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    keyof DefaultSchema['Tables'] | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Tables']
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions['schema']]['Tables'][TableName] extends {
      Update: infer U
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema['Tables']
    ? DefaultSchema['Tables'][DefaultSchemaTableNameOrOptions] extends {
        Update: infer U
      }
      ? U
      : never
    : never

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    keyof DefaultSchema['Enums'] | { schema: keyof DatabaseWithoutInternals },
  EnumName extends (DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions['schema']]['Enums']
    : never) = never,
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions['schema']]['Enums'][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema['Enums']
    ? DefaultSchema['Enums'][DefaultSchemaEnumNameOrOptions]
    : never

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    keyof DefaultSchema['CompositeTypes'] | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends (PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions['schema']]['CompositeTypes']
    : never) = never,
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions['schema']]['CompositeTypes'][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema['CompositeTypes']
    ? DefaultSchema['CompositeTypes'][PublicCompositeTypeNameOrOptions]
    : never

export const Constants = {
  public: {
    Enums: {
      air_conditioning: ['none', 'split', 'central'],
      building_grade: ['a_plus', 'a', 'b', 'c'],
      coworking_offering: ['day_pass', 'meeting_room', 'dedicated_desk', 'private_office', 'virtual_office'],
      enquiry_intent: ['info', 'visit', 'price'],
      enquiry_status: ['new', 'read', 'responded', 'closed', 'spam'],
      furnishing: ['unfurnished', 'semi_furnished', 'furnished', 'plug_and_play'],
      listing_intent: ['sale', 'lease'],
      locale: ['en', 'hi', 'ta'],
      location_precision: ['exact', 'locality'],
      ownership: ['freehold', 'leasehold', 'co_operative', 'power_of_attorney'],
      possession: ['ready', 'under_construction'],
      property_status: ['draft', 'pending', 'active', 'rejected', 'archived'],
      property_type: ['office', 'retail', 'warehouse', 'industrial', 'mixed_use'],
      search_alert: ['off', 'daily', 'instant'],
      user_type: ['buyer', 'seller', 'owner', 'broker'],
    },
  },
} as const
