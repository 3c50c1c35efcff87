/** A fact of a value that is worked out when it is first needed: a version of a text does not change. */
export function perDocument<D extends object, T>(make: (document: D) => T): (document: D) => T {
  const known = new WeakMap<D, { readonly value: T }>()
  return (document) => {
    let found = known.get(document)
    if (found === undefined) {
      found = { value: make(document) }
      known.set(document, found)
    }
    return found.value
  }
}
