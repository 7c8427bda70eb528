/** Fills its place, and returns a function that ends it. */
export function deviceList(place, studio) {
  return () => {};
}
