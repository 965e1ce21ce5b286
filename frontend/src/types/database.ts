export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];

type Table<Row> = {
  Row: Row;
  Insert: Partial<Row>;
  Update: Partial<Row>;
  Relationships: [];
};
type ChildTable<Row, Name extends string> = {
  Row: Row;
  Insert: Partial<Row>;
  Update: Partial<Row>;
  Relationships: [
    {
      foreignKeyName: Name;
      columns: ['coworking_space_id'];
      isOneToOne: false;
      referencedRelation: 'coworking_space';
      referencedColumns: ['id'];
    },
  ];
};

export type Database = {
  public: {
    Tables: {
      profiles: Table<{
        id: string;
        full_name: string | null;
        phone: string | null;
        email: string | null;
      }>;
      coworking_space: Table<{
        id: string;
        slug: string;
        name: string;
        address: string;
        locality: string;
        sub_locality: string | null;
        city: string;
        state: string;
        description: string | null;
        image_url: string | null;
        website_url: string | null;
        booking_phone: string | null;
        booking_email: string | null;
        active: boolean;
        paid_listing: boolean;
        created_at: string;
        coordinates: Json | null;
        amenities: Json | null;
        opening_hours: Json | null;
        min_price: number | null;
        max_price: number | null;
      }>;
      coworking_offering_type: ChildTable<
        {
          id: string;
          coworking_space_id: string;
          offering_type: string;
          price_from: number | null;
          capacity: number | null;
          description: string | null;
          available: boolean;
        },
        'coworking_offering_type_coworking_space_id_fkey'
      >;
      coworking_space_images: ChildTable<
        { id: string; coworking_space_id: string; url: string; order: number },
        'coworking_space_images_coworking_space_id_fkey'
      >;
    };
    Views: { [_ in never]: never };
    Functions: { is_admin: { Args: Record<PropertyKey, never>; Returns: boolean } };
    Enums: { [_ in never]: never };
    CompositeTypes: { [_ in never]: never };
  };
};
