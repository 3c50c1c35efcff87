/** Opening, editing and closing shaders. */

import { type Opened, openBytes, openText } from '../../model/input.ts'
import type { AssembledShader, ReadShader } from '../../model/shader.ts'
import { type OpenFile, type Project, say, sayError, store, VIEWS } from './store.ts'
import { reader } from './workers.ts'

let nextId = 1

const newProject = (job?: string): Project => ({
  id: nextId++,
  job,
  diagnostics: [],
  contents: [],
  suppressions: '',
})

/** A name that no open file has. */
function freeName(name: string): string {
  const taken = new Set(store.files.map((f) => f.name))
  if (!taken.has(name)) return name
  const [, stem = name, extension = ''] = /^(.*?)(\.\w+)?$/.exec(name) ?? []
  for (let i = 2; ; i++) if (!taken.has(`${stem}-${i}${extension}`)) return `${stem}-${i}${extension}`
}

function addFile(name: string, text: string, base: Uint8Array | undefined, project: Project): OpenFile {
  const file: OpenFile = {
    id: nextId++,
    name: freeName(name),
    base,
    original: text,
    text,
    bytes: base,
    inspection: undefined,
    diagnostics: [],
    lines: [],
    isReading: true,
    project,
  }
  store.files = [...store.files, file]
  return file
}

function takeRead(file: OpenFile, read: ReadShader): void {
  file.isReading = false
  file.inspection = read.inspection
  file.diagnostics = read.diagnostics
  file.lines = read.lines
  file.text = file.original = read.text ?? `// ${read.diagnostics[0]?.message ?? 'there is no program in this file'}\n`
  store.changed()
}

function takeAssembled(file: OpenFile, { bytes, diagnostics, inspection, lines }: AssembledShader): void {
  file.isReading = false
  file.bytes = bytes
  file.diagnostics = diagnostics
  file.lines = lines
  if (inspection !== undefined) file.inspection = inspection
  store.changed()
}

/** The text of which each file's latest reading is: results of older texts are dropped. */
async function readFile(file: OpenFile): Promise<void> {
  const { text, base } = file
  try {
    if (base !== undefined && text === file.original) {
      const read = await reader.call('read', { bytes: base })
      if (file.text === text) {
        file.bytes = base
        takeRead(file, read)
      }
    } else {
      const assembled = await reader.call('assemble', { text, base })
      if (file.text === text) takeAssembled(file, assembled)
    }
  } catch (e) {
    file.isReading = false
    sayError(`${file.name} could not be read: ${e instanceof Error ? e.message : e}`)
  }
}

/** A text that keeps every byte of a file is opened as the file. */
async function openLossless(file: OpenFile): Promise<void> {
  const { bytes } = await reader.call('assemble', { text: file.text })
  if (bytes === undefined) return
  file.base = bytes
  file.bytes = bytes
  takeRead(file, await reader.call('read', { bytes }))
}

async function openListing(file: OpenFile): Promise<void> {
  await readFile(file)
  if (file.text.trimStart().startsWith('.lossless')) await openLossless(file)
}

const MILLISECONDS_BETWEEN_LOOKS = 20

/** Waits until the texts of all files as they are now were read: bytes from before would be of other texts. */
export async function readingAll(): Promise<void> {
  while (store.files.some((f) => f.isReading))
    await new Promise((resolve) => setTimeout(resolve, MILLISECONDS_BETWEEN_LOOKS))
}

const MILLISECONDS_AFTER_KEY = 120
const timers = new Map<number, ReturnType<typeof setTimeout>>()

/** An edit: the text is assembled shortly after the last key. */
export function editText(file: OpenFile, text: string): void {
  if (text === file.text) return
  file.text = text
  file.isReading = true
  store.selectedLines = []
  clearTimeout(timers.get(file.id))
  timers.set(
    file.id,
    setTimeout(() => void readFile(file), MILLISECONDS_AFTER_KEY),
  )
  store.changed()
}

export function selectFile(id: number): void {
  const before = store.project
  store.activeId = id
  store.selectedLines = []
  store.selectedKey = ''
  store.openChunk = undefined
  if (store.project !== before) store.forgetResults()
  store.changed()
}

export function closeFile(id: number): void {
  const at = store.files.findIndex((f) => f.id === id)
  store.files = store.files.filter((f) => f.id !== id)
  const next = store.files[Math.min(at, store.files.length - 1)]
  if (store.activeId === id) selectFile(next?.id ?? 0)
  store.changed()
}

/** Shaders, a description and contents that came together belong together. */
export async function openAll(items: readonly Opened[]): Promise<readonly OpenFile[]> {
  const job = items.find((i) => i.kind === 'job')
  const contents = items.flatMap((i) => (i.kind === 'contents' ? [i] : []))
  const shaders = items.filter((i) => i.kind === 'container' || i.kind === 'listing')
  const link = items.find((i) => i.kind === 'link')
  const unknown = items.filter((i) => i.kind === 'unknown')
  if (link !== undefined) return openLink(link.fragment)
  const common = job === undefined ? undefined : newProject(job.text)
  const made = shaders.map((item) => {
    const project = common ?? newProject()
    return item.kind === 'container'
      ? addFile(item.name, '', item.bytes, project)
      : addFile(item.name, item.text, undefined, project)
  })
  const target = made[0]?.project ?? store.project
  if (target !== undefined) {
    if (job !== undefined && made.length === 0) target.job = job.text
    target.contents = [...target.contents, ...contents]
  }
  if (made.length > 0) selectFile(made[0]!.id)
  if (unknown.length > 0) sayError(unknown.map((u) => `${u.name}: ${u.reason}`).join('; '))
  else if (job !== undefined && target === undefined)
    sayError('open the shader that this run description names as well')
  else if (made.length === 0 && contents.length > 0)
    say(`${contents.map((f) => f.name).join(', ')}: contents for resources`)
  await Promise.all(made.map((file) => (file.base === undefined ? openListing(file) : readFile(file))))
  store.changed()
  return made
}

/** Files that were dropped or picked. */
export async function openFiles(files: readonly File[]): Promise<void> {
  const items = await Promise.all(files.map(async (f) => openBytes(new Uint8Array(await f.arrayBuffer()), f.name)))
  await openAll(items)
}

/** Text that was pasted: hexadecimal, base64, a listing, a run description or a link. */
export async function openPasted(text: string): Promise<boolean> {
  const opened = openText(text, 'pasted.dxasm')
  if (opened.kind === 'unknown') return false
  const named = opened.kind === 'container' ? { ...opened, name: 'pasted.dxbc' } : opened
  await openAll([named.kind === 'job' ? { ...named, name: 'pasted.job.json' } : named])
  return true
}

/** What a link holds is opened and never run by itself. */
export async function openLink(fragment: string): Promise<readonly OpenFile[]> {
  const decoded = await reader.call('openLink', { fragment })
  if ('reason' in decoded) {
    sayError(`this link cannot be opened: ${decoded.reason}`)
    return []
  }
  const { files, active, job, view, clock, thread = 0 } = decoded.state
  const project = newProject(job)
  const made = files.map(({ name, text, bytes }) => {
    const file = addFile(name, '', bytes, project)
    if (text !== undefined) file.text = text
    if (bytes === undefined) file.original = file.text
    return file
  })
  selectFile(made[active]!.id)
  store.view = VIEWS.find((v) => v === view) ?? store.view
  store.linked = clock === undefined ? undefined : { clock, thread }
  await Promise.all(made.map((f) => (f.base === undefined ? openListing(f) : readFile(f))))
  say(`opened ${made.map((f) => f.name).join(', ')} from the link; nothing of it has run`)
  return made
}
