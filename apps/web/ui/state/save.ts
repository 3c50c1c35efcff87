/** What leaves the page: files and links. Nothing of it goes over the network. */
import { encodeLink, PREFERRED_LINK_BYTES, type SharedFile } from '../../model/link.ts'
import { readingAll } from './files.ts'
import { type OpenFile, say, sayError, store } from './store.ts'
import { engine } from './workers.ts'

const stem = (name: string): string => name.replace(/\.\w+$/, '')

/** Hands a file to the browser. */
function saveBytes(name: string, bytes: Uint8Array | string): void {
  const blob = new Blob([typeof bytes === 'string' ? bytes : (bytes as Uint8Array<ArrayBuffer>)])
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
  say(`saved ${name}`)
}

export async function saveContainer(file: OpenFile): Promise<void> {
  await readingAll()
  if (file.bytes === undefined) sayError(`${file.name} has errors; fix them to save it`)
  else saveBytes(`${stem(file.name)}.dxbc`, file.bytes)
}

export const saveListing = (file: OpenFile): void => saveBytes(`${stem(file.name)}.dxasm`, file.text)

export function saveJob(file: OpenFile): void {
  if (file.project.job !== undefined) saveBytes(`${stem(file.name)}.job.json`, file.project.job)
}

export function saveReport(file: OpenFile): void {
  const { answer } = store.check
  if (answer !== undefined) saveBytes(`${stem(file.name)}.report.txt`, answer.text)
}

export async function saveOutput(id: number, label: string, asPng: boolean): Promise<void> {
  const bytes = await engine.call('contents', { id, asPng })
  if (typeof bytes === 'string') sayError(bytes)
  else saveBytes(`${label.replace(/\W+/g, '-').replace(/-$/, '')}.${asPng ? 'png' : 'bin'}`, bytes)
}

function shared(file: OpenFile): SharedFile {
  const { name, text, original, base } = file
  if (base === undefined) return { name, text }
  return text === original ? { name, bytes: base } : { name, text, bytes: base }
}

/** The address of what is open, and the dialog that shows it. */
export async function share(): Promise<void> {
  const { active } = store
  if (active === undefined) return
  const files = store.files.filter((f) => f.project === active.project)
  const { moment } = store.debug
  const fragment = await encodeLink({
    files: files.map(shared),
    active: files.indexOf(active),
    ...(active.project.job === undefined ? {} : { job: active.project.job }),
    view: store.view,
    ...(moment === undefined ? {} : { clock: moment.clock, thread: moment.focus.thread }),
  })
  if (fragment === undefined) {
    sayError('this is too much for a link: save the listing or the shader, and the run description, as files')
    return
  }
  const address = new URL(location.href)
  address.search = ''
  address.hash = fragment
  store.share = { link: address.href }
  store.dialog = 'share'
  store.changed()
}

/** Whether a file is the better way. */
export const isLongLink = (link: string): boolean => link.length > PREFERRED_LINK_BYTES
