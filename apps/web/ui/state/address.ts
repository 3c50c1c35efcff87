/** `?url=`: a shader of this site, or of another one that allows it and that the page's policy names. */
import { openBytes } from '../../model/input.ts'
import { openAll } from './files.ts'
import { sayError } from './store.ts'

const MAX_BYTES = 16 << 20

/** Fetches without cookies; what is no http address, and what is too long, is refused. */
export async function openFromAddress(address: string): Promise<void> {
  let url: URL
  try {
    url = new URL(address, document.baseURI)
  } catch {
    sayError(`${address} is no address`)
    return
  }
  if (url.protocol !== 'https:' && url.protocol !== location.protocol) {
    sayError(`${url.protocol} addresses are not opened`)
    return
  }
  const isOwn = url.origin === location.origin
  if (!isOwn && !confirm(`This link loads a shader from ${url.host}. Load it?`)) return
  try {
    const response = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer' })
    if (!response.ok) throw new Error(`${url.host} answered ${response.status}`)
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (bytes.length > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES >> 20} MB`)
    await openAll([openBytes(bytes, url.pathname.split('/').at(-1) || 'shader.dxbc')])
  } catch (e) {
    const why =
      e instanceof TypeError ? 'the other site or the policy of this page does not allow it' : (e as Error).message
    sayError(`${url.href} was not loaded: ${why}`)
  }
}
