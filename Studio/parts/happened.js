/** Fills its place, and returns a function that ends it. */
export function happened(place, studio) {
  return () => {};
}
