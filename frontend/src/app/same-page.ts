/** The state of a navigation that replaces the address of a page which stays: neither the focus nor the scroll nor what is typed moves. */
export const SAME_PAGE = 'same-page'
