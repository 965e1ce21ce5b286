import { create } from 'zustand'

/** What came in while nobody looked; known to the server, so kept nowhere. */
export const useLiveStore = create<{ newEnquiries: number }>()(() => ({ newEnquiries: 0 }))
