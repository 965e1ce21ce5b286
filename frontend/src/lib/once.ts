/** Makes something when it is first wanted. The browser's formatters take milliseconds each, which nobody should wait for at the start. */
export function once<T>(make: () => T) {
  let made: T | undefined
  return () => (made ??= make())
}
