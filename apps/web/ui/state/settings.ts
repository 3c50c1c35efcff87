/** Settings of the user, kept by the browser. Some allow pages to keep nothing: then they last as long as the page. */

/** A kept setting; null where there is none. */
export function keptSetting(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export function keepSetting(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Nothing is kept.
  }
}
