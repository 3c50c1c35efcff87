/** A host without a file system: what a session reads comes with its launch request. */
import { diagnostic, failure, type Outcome, withSlashes } from '../../src/diagnostic/index.ts'
import { debug } from '../../src/host/index.ts'
import { type Description, type JobHost, parseDescription, parseDescriptionText } from '../../src/job/index.ts'
import type { DebugSession } from '../../src/session/index.ts'
import { isSameSource, type SourcePathMap, sourceNames } from '../../src/source/index.ts'
import { type AdapterHost, type LaunchArguments, sessionOptions } from './context.ts'

/** Contents of files by their paths: bytes, or text. */
export type FilesOfLaunch = Readonly<Record<string, Uint8Array | string>>

const ENCODER = new TextEncoder()

/** `./a/../b.hlsl` and `b.hlsl` are one file. */
function plainPath(path: string): string {
  const parts: string[] = []
  for (const part of withSlashes(path).split('/')) {
    if (part === '..' && parts.length > 0) parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

class FileTable {
  readonly #files = new Map<string, Uint8Array>()

  constructor(files: FilesOfLaunch) {
    for (const [path, contents] of Object.entries(files)) {
      this.#files.set(plainPath(path), typeof contents === 'string' ? ENCODER.encode(contents) : contents)
    }
  }

  get(path: string): Uint8Array | undefined {
    return this.#files.get(plainPath(path))
  }

  /** Paths of the description are seen from its folder. */
  host(folder: string): JobHost {
    return {
      readFile: (path, { byteOffset, byteLength } = { byteOffset: 0 }) => {
        const bytes = this.get(`${folder}/${path}`)
        const end = byteLength === undefined ? undefined : byteOffset + byteLength
        return bytes?.subarray(byteOffset, end) ?? { reason: 'it is none of the files that the launch request brought' }
      },
      writeFile: () => ({ reason: 'a debug session writes no files' }),
    }
  }
}

function described({ program, job }: LaunchArguments, files: FileTable): Outcome<Description> {
  if (typeof job === 'string') return parseDescriptionText(job)
  if (job !== undefined) return parseDescription(job)
  const bytes = program === undefined ? undefined : files.get(program)
  if (bytes !== undefined) return parseDescriptionText(new TextDecoder().decode(bytes))
  const text = 'launch names what to debug: "job", a run description, or "program", the path of one among "files"'
  return failure([diagnostic('session-command', text)])
}

/** Opens what launch requests bring with them: `job` or `program`, and `files`. */
export function memoryAdapterHost(): AdapterHost {
  let files = new FileTable({})
  let map: SourcePathMap = {}
  return {
    async open(args, options): Promise<Outcome<DebugSession>> {
      files = new FileTable(args.files ?? {})
      map = args.sourcePathMap ?? {}
      const { value, diagnostics } = described(args, files)
      if (value === undefined) return failure(diagnostics)
      const folder = args.job === undefined ? withSlashes(args.program ?? '').replace(/[^/]*$/, '') : ''
      return debug(value, files.host(folder), { ...sessionOptions(args), ...options })
    },
    findSource(file) {
      return sourceNames(file, ['.'], map).find((name) => {
        const bytes = files.get(name)
        return bytes !== undefined && isSameSource(file, bytes) === true
      })
    },
  }
}
