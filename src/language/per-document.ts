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

/** What was worked out of the versions of a text, by what worked it out: the last of each. */
export type Kept = Map<object, unknown>

/** A fact of a version that is worked out with the help of the last that was worked out of an earlier version. */
export function perVersion<D extends { readonly kept: Kept }, T>(
  make: (document: D, before: T | undefined) => T,
): (document: D) => T {
  const key = {}
  return perDocument((document: D) => {
    const made = make(document, document.kept.get(key) as T | undefined)
    document.kept.set(key, made)
    return made
  })
}
