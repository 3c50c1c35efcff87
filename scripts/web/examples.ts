/** The examples of the page as one module: shaders and run descriptions of this repository. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assembleOrThrow } from '../../src/index.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A run description, and what the page says of it. */
interface Listed {
  readonly name: string
  readonly about: string
  readonly view: 'inspect' | 'run' | 'check' | 'step'
  readonly job: string
  /** The folder of its shaders, where they do not stand beside it. */
  readonly shaders?: string
}

/** The first one runs on load. */
const LISTED: readonly Listed[] = [
  {
    name: 'Mandelbrot set',
    about: 'A loop whose trip count differs from thread to thread: it runs on load, and the picture is what it wrote.',
    view: 'run',
    job: 'apps/web/examples/mandelbrot.job.json',
  },
  {
    name: 'Missing barrier',
    about:
      'A reduction in shared memory without its barriers: Check shows both accesses of the race, Step goes to each.',
    view: 'check',
    job: 'examples/check-missing-barrier/pick-best.job.json',
  },
  {
    name: 'The same with barriers',
    about: 'The reduction as it should be: no race is left. That the last barrier orders nothing is a hint.',
    view: 'check',
    job: 'examples/check-missing-barrier/pick-best-fixed.job.json',
  },
  {
    name: 'Out of bounds',
    about: 'Each thread reads its right neighbor, and the last thread has none.',
    view: 'check',
    job: 'examples/debugging/out-of-bounds.job.json',
  },
  {
    name: 'Uninitialized memory',
    about: 'One thread forgets to write its word of shared memory; step back from where the value matters.',
    view: 'step',
    job: 'examples/debugging/uninitialized.job.json',
  },
  {
    name: 'Light culling',
    about: 'Compiled with debug data: Step shows the lines of HLSL, with variables by name, beside the listing.',
    view: 'step',
    job: 'apps/web/examples/light-culling.job.json',
    shaders: 'test/corpus/cs',
  },
  {
    name: 'Histogram',
    about: 'What fxc made of HLSL: constants and buffers by name, counted with atomics in shared memory.',
    view: 'inspect',
    job: 'examples/testing/histogram.job.json',
  },
  {
    name: 'Tessellated surface',
    about: 'Vertex, hull, domain and pixel shader: patches displaced by a texture of heights, with light.',
    view: 'run',
    job: 'examples/drawing/tessellation.job.json',
  },
  {
    name: 'Particles',
    about: 'A compute shader moves particles, and a geometry shader makes a square of each.',
    view: 'run',
    job: 'examples/drawing/particles.job.json',
  },
  {
    name: 'Transparency in any order',
    about: 'Pixel shaders collect fragments in linked lists, and another pass sorts and blends them.',
    view: 'run',
    job: 'examples/drawing/order-independent-transparency.job.json',
  },
  {
    name: 'Shadow map',
    about: 'Depth from the light first, then a picture that compares with it.',
    view: 'run',
    job: 'examples/drawing/shadow-map.job.json',
  },
]

type Fields = Record<string, unknown>

/** Names of the shaders of a description, in order. */
function shadersOf(job: Fields): readonly string[] {
  if (typeof job.shader === 'string') return [job.shader]
  return Object.values((job.shaders ?? {}) as Fields).filter((s): s is string => typeof s === 'string')
}

const lastPart = (path: string): string => path.split('/').at(-1)!

/** A shader as the page opens it: a text, or bytes where the text keeps every byte of a file. */
function fileOf(path: string) {
  const bytes = readFileSync(path)
  if (path.endsWith('.dxbc')) return { name: lastPart(path), base64: bytes.toString('base64') }
  const text = bytes.toString('utf8')
  if (!text.startsWith('.lossless')) return { name: lastPart(path), text }
  return { name: lastPart(path), base64: Buffer.from(assembleOrThrow(text)).toString('base64') }
}

/** What the page cannot read stays behind: schemas and files of expected contents. */
function jobOf({ job }: Listed): { readonly text: string; readonly value: Fields } {
  const value = JSON.parse(readFileSync(join(ROOT, job), 'utf8')) as Fields
  const hasExpectedFiles = JSON.stringify(value.expect ?? []).includes('"png"')
  const dropped = hasExpectedFiles ? ['$schema', 'expect'] : ['$schema']
  const kept = Object.fromEntries(Object.entries(value).filter(([name]) => !dropped.includes(name)))
  const lines = Object.entries(kept).map(([name, v]) => `  ${JSON.stringify(name)}: ${fieldText(v)}`)
  return { text: `{\n${lines.join(',\n')}\n}\n`, value }
}

/** A field with its members on lines of their own. */
function fieldText(value: unknown): string {
  const line = (v: unknown): string => JSON.stringify(v).replaceAll(',"', ', "').replaceAll('":', '": ')
  if (Array.isArray(value) && value.some((v) => typeof v === 'object'))
    return `[\n${value.map((v) => `    ${line(v)}`).join(',\n')}\n  ]`
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return `{\n${Object.entries(value)
      .map(([n, v]) => `    ${JSON.stringify(n)}: ${line(v)}`)
      .join(',\n')}\n  }`
  return line(value)
}

/** The module's text. */
export function examplesModule(): string {
  const all = LISTED.map((listed) => {
    const { text, value } = jobOf(listed)
    const folder = listed.shaders ?? dirname(listed.job)
    const files = shadersOf(value).map((path) => fileOf(join(ROOT, folder, path)))
    return { name: listed.name, about: listed.about, view: listed.view, job: text, files }
  })
  return `export default ${JSON.stringify(all)}`
}
