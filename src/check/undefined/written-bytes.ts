/** Which bytes of a resource have been written: a bit a byte, in pages that come into being when first touched. */
export interface ContentMap {
  readonly pages: (Uint8Array | undefined)[]
  /** Bytes that the pages take. */
  byteLength: number
}

const PAGE_SHIFT = 16
const PAGE_BYTES = 1 << PAGE_SHIFT

export function makeContentMap(): ContentMap {
  return { pages: [], byteLength: 0 }
}

/** Whether every byte of a range was written. */
export function isWritten(map: ContentMap, byteOffset: number, byteLength: number): boolean {
  for (let b = byteOffset; b < byteOffset + byteLength; b++) {
    const page = map.pages[b >>> PAGE_SHIFT]
    const inPage = b & (PAGE_BYTES - 1)
    if (page === undefined || ((page[inPage >> 3]! >> (inPage & 7)) & 1) === 0) return false
  }
  return true
}

export function markWritten(map: ContentMap, byteOffset: number, byteLength: number): void {
  for (let b = byteOffset; b < byteOffset + byteLength; b++) {
    const number = b >>> PAGE_SHIFT
    let page = map.pages[number]
    if (page === undefined) {
      page = new Uint8Array(PAGE_BYTES >> 3)
      while (map.pages.length <= number) map.pages.push(undefined)
      map.pages[number] = page
      map.byteLength += page.byteLength
    }
    const inPage = b & (PAGE_BYTES - 1)
    page[inPage >> 3]! |= 1 << (inPage & 7)
  }
}
