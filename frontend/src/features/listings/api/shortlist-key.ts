/** Apart from the other keys, because the header of every page counts what is kept. */
export const shortlistKey = (user: string) => ['listings', 'shortlist', user] as const
