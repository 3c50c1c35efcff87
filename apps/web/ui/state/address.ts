/** `?url=`: a shader of this site, or of another one that allows it and that the page's policy names. */
import { collected } from '../../model/bytes.ts'
import { openBytes } from '../../model/input.ts'
import { openAll } from './files.ts'
import { sayError } from './store.ts'

const MAX_BYTES = 16 << 20

const MILLISECONDS_TO_EVENT = 50

/** Why a fetch came to nothing, of which browsers say to pages no more than that it did. */
function refusal({ origin, host }: URL, isAgainstPolicy: boolean): string {
  if (isAgainstPolicy)
    return `the policy of this page allows it no other sites; one that is built with --connect ${origin} may load it`
  if (origin === location.origin) return 'the site does not answer'
  return `${host} does not answer, or does not allow other sites to read the file (it must send the header Access-Control-Allow-Origin)`
}

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
  let isAgainstPolicy = false
  const note = (e: SecurityPolicyViolationEvent): void => {
    isAgainstPolicy ||= e.effectiveDirective === 'connect-src'
  }
  document.addEventListener('securitypolicyviolation', note)
  try {
    const response = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer' })
    if (!response.ok) throw new Error(`${url.host} answered ${response.status}`)
    const bytes = response.body === null ? new Uint8Array() : await collected(response.body, MAX_BYTES)
    if (bytes === undefined) throw new Error(`it has more than ${MAX_BYTES >> 20} MB`)
    await openAll([openBytes(bytes, url.pathname.split('/').at(-1) || 'shader.dxbc')])
  } catch (e) {
    // The browser reports its policy in an event of its own, soon after the failure.
    await new Promise((done) => setTimeout(done, MILLISECONDS_TO_EVENT))
    const why = e instanceof TypeError ? refusal(url, isAgainstPolicy) : (e as Error).message
    sayError(`${url.href} was not loaded: ${why}`)
  } finally {
    document.removeEventListener('securitypolicyviolation', note)
  }
}
