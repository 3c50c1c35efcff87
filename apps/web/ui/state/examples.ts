/** The examples. They are part of the page, in a file that is loaded right after the first paint. */
import { openBytes, openText } from '../../model/input.ts'
import { openAll, selectFile } from './files.ts'
import { type OpenFile, sayError, store, type ViewName } from './store.ts'

/** As the build makes them: texts, and bytes in base64. */
interface ExampleFile {
  readonly name: string
  readonly text?: string
  readonly base64?: string
}

export interface Example {
  readonly name: string
  /** One sentence. */
  readonly about: string
  readonly view: ViewName
  readonly job: string
  readonly files: readonly ExampleFile[]
}

let loaded: Promise<readonly Example[]> | undefined

/** All examples; the first is the one that runs on load. */
export function examples(): Promise<readonly Example[]> {
  loaded ??= import('heddle-examples').then((m) => m.default as readonly Example[])
  return loaded
}

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))

/** The first file of an example that is open as it came: it is shown again rather than opened twice. */
function openAsItCame({ about, job }: Example): OpenFile | undefined {
  const files = store.files.filter((f) => f.project.about === about)
  const isAsItCame = files.every((f) => f.text === f.original && f.project.job === job)
  return isAsItCame ? files[0] : undefined
}

export async function openExample(example: Example): Promise<void> {
  const open = openAsItCame(example)
  if (open !== undefined) {
    selectFile(open.id)
    store.view = example.view
    store.changed()
    return
  }
  const items = example.files.map(({ name, text, base64 }) =>
    base64 === undefined ? openText(text ?? '', name) : openBytes(bytesOf(base64), name),
  )
  const opened = await openAll([...items, { kind: 'job', name: `${example.name}.job.json`, text: example.job }])
  if (opened.length === 0) sayError(`the example ${example.name} did not open`)
  if (store.project !== undefined && opened.length > 0) store.project.about = example.about
  store.view = example.view
  store.changed()
}
