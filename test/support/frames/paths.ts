import type { ElementKernels, Engine, QuadKernel, QuadMemory, QuadProgram } from '../../../src/engine/index.ts'
import { nextWaveCounts } from '../../../src/engine/wasm/flow/next-wave.ts'
import { DecodedTextures } from '../../../src/engine/wasm/run/decoded/decoded-textures.ts'
import type { ValueOps } from '../../../src/isa/index.ts'
import { sharedCounts } from '../../../src/pipeline/index.ts'
import { PARAMETER, QUAD_MEMORY } from '../../../src/pipeline/pixels/quads.ts'
import { GeometryStage } from '../../../src/pipeline/stages/geometry-stage.ts'
import { TriangleBands } from '../../../src/pipeline/tiles/triangle-bands.ts'
import { WaitingTriangles } from '../../../src/pipeline/tiles/waiting-triangles.ts'

/**
 * Ways through the compiled pipeline that a frame took: programs of quads that ran on the calling thread, lists and parts. Beside what frames
 * are made of, which says nothing of how it was done.
 */

/** Words that a program's key begins with, as people read them. */
const PROGRAMS: Readonly<Record<string, string>> = {
  vertices: 'vertices fetched by code',
  columns: 'vertices in columns',
  fetch: 'attributes fetched by code',
  'row copies': 'rows of vertices copied',
  emitted: 'points of invocations copied by one loop',
  screen: 'vertices placed on the screen by code',
  'setup jobs': 'triangles of depth alone set up by code',
  'setup records': 'triangles set up by code',
  'setup lists': 'triangles listed for shares of rows by code',
  'setup jobs of a list': 'triangles in lists of shares set up by code',
  cover: 'small triangles covered by code',
  pack: 'small triangles covered without helpers',
  reads: 'lines of targets read ahead',
  rows: 'rows filled by code',
  depth: 'triangles of depth alone',
  'tested early': 'triangles tested early',
  'tested ahead': 'triangles tested ahead of their shader',
  'tested bounds': 'triangles tested with bounds of depth',
  'tested packed': 'triangles tested without helpers',
  bounds: 'bounds of depth found',
  'tests found': 'quads tested before their shader',
  'tests shaded': 'quads tested behind their shader',
  kept: 'quads that a shader has kept, one behind the other',
  inputs: 'inputs interpolated by code',
  colors: 'colors stored by code',
  copies: 'quads copied by code',
  'read ahead': 'targets read ahead',
  resolve: 'samples resolved by code',
  'fill whole': 'surfaces filled by code',
  'fill masked': 'bits of surfaces filled by code',
  'joined waiting': 'quads by one program',
  'joined runs': 'runs of quads by one program',
  'joined found': 'quads by one program where they were found',
  'joined packed': 'pixels without helpers by one program',
  same: 'attributes that are the same everywhere left out',
}

/** What runs of pixels did whose codes are computed approximately first. */
const CODES = {
  certain: 'runs of pixels with certain codes',
  uncertain: 'runs of pixels with uncertain codes, which are computed again',
} as const

/** What runs of the precision `fast` did, by the same choices: without clamps and with them. */
const COLORS = {
  certain: 'fast runs of pixels whose colors need no clamp',
  uncertain: 'fast runs of pixels whose colors are clamped',
} as const

const LISTS = {
  bands: 'lists of several bands',
  large: 'large triangles part by part',
  decoded: 'decoded copies of textures',
  codes: 'copies of textures as whole numbers',
  shaded: 'points of the geometry shader where the vertex shader left them',
} as const

/** In few frames of random ones. */
const NEXT_WAVES = 'levels of detail found for the next wave'

/** What workers do where there are any. */
const SHARED: Readonly<Record<keyof typeof sharedCounts, string>> = {
  draws: 'draws shared with workers',
  tilesOfWorkers: 'tiles by workers',
  fronts: 'draws shared from their vertices on',
  partsOfWorkers: 'parts of stages by workers',
  bands: 'draws whose triangles are set up by bands',
  setUpByCode: 'triangles of bands set up by code',
  tilesBehind: 'tiles of several chunks one behind the other',
}

export const PATHS: readonly string[] = [
  ...Object.values(PROGRAMS),
  ...Object.values(CODES),
  ...Object.values(COLORS),
  ...Object.values(LISTS),
]

const isKnown = (name: string): boolean => Object.hasOwn(PROGRAMS, name)

/** Names of a program: by the first words of its key. */
function namesOf({ key }: QuadProgram): string[] {
  const parts = JSON.parse(key) as readonly unknown[]
  const [first] = parts
  if (first === 'setup') return [`setup ${parts.at(-1)}`]
  if (first === 'tested')
    return [
      `tested ${parts[1]}`,
      ...(parts[2] === true ? ['tested bounds'] : []),
      ...(parts[3] === true ? ['tested packed'] : []),
    ]
  const { same } = (parts[2] ?? {}) as { same?: number }
  const hasSame = first === 'inputs' ? parts.at(-1) !== 0 : first === 'joined' && same !== 0
  return [String(first), `${first} ${parts[1]}`, ...(hasSame ? ['same'] : [])]
}

/** Ways that were taken since the last look. */
const taken = new Set<string>()

/** Parameters that no program has: set by those that are watched. */
const NOTES = { certain: PARAMETER.listed + 2, uncertain: PARAMETER.listed + 3 } as const

/** Memory that notes which side is taken of choices by signs: whether codes are certain. */
function noting<V>(o: ValueOps<V>, m: QuadMemory<V>): QuadMemory<V> {
  const doubts = new Set<V>()
  const noted = (side: () => readonly V[], n: number) => (): readonly V[] => {
    m.store(o.constant(QUAD_MEMORY.parameters + n * 4), [o.constant(1)])
    return side()
  }
  return {
    ...m,
    signs(word) {
      const signs = m.signs(word)
      doubts.add(signs)
      return signs
    },
    choose(condition, taken, otherwise) {
      if (!doubts.has(condition)) return m.choose(condition, taken, otherwise)
      return m.choose(condition, noted(taken, NOTES.uncertain), noted(otherwise, NOTES.certain))
    },
  }
}

/** Only programs of runs have notes: the memory of others may end before these. */
const hasNotes = ({ key }: QuadProgram): boolean => key.startsWith('["joined","runs"')

function withNotes(program: QuadProgram): QuadProgram {
  if (!hasNotes(program)) return program
  return { ...program, meaning: (o, m) => program.meaning(o, noting(o, m)) }
}

/** Memory of quads, by where it begins. */
const MEMORIES = new Map<number, ArrayBufferLike>()

function takeNotes(start: number, isFast: boolean): void {
  const buffer = MEMORIES.get(start)
  if (buffer === undefined) return
  const words = new Int32Array(buffer, start + QUAD_MEMORY.parameters)
  for (const name of ['certain', 'uncertain'] as const) {
    if (words[NOTES[name]] === 1) taken.add((isFast ? COLORS : CODES)[name])
    words[NOTES[name]] = 0
  }
}

function watched(kernel: QuadKernel, program: QuadProgram): QuadKernel {
  const names = namesOf(program)
    .filter(isKnown)
    .map((name) => PROGRAMS[name]!)
  const isFast = program.key.includes('"precision":"fast"')
  return {
    run(count, start) {
      for (const name of names) taken.add(name)
      kernel.run(count, start)
      if (hasNotes(program)) takeNotes(start, isFast)
    },
  }
}

/** By what it stands for, since kernels are compared. */
const WATCHED = new WeakMap<QuadKernel, QuadKernel>()
const ENGINES = new WeakSet<ElementKernels>()
let areListsWatched = false

function watchLists(): void {
  if (areListsWatched) return
  areListsWatched = true
  const bands = TriangleBands.prototype
  const { run } = bands
  bands.run = function (find) {
    const tops = new Set<number>()
    const isDone = run.call(this, (list, from, end, band, isNew) => {
      tops.add(band.top)
      return find(list, from, end, band, isNew)
    })
    if (tops.size > 1) taken.add(LISTS.bands)
    return isDone
  }
  const textures = DecodedTextures.prototype
  const { stage } = textures
  textures.stage = function (view, isOfCodes) {
    const staged = stage.call(this, view, isOfCodes)
    if (staged !== undefined) taken.add(isOfCodes ? LISTS.codes : LISTS.decoded)
    return staged
  }
  const geometry = GeometryStage.prototype
  const { addShaded } = geometry
  geometry.addShaded = function (...given) {
    taken.add(LISTS.shaded)
    return addShaded.apply(this, given)
  }
  const waiting = WaitingTriangles.prototype
  const { add } = waiting
  waiting.add = function (p) {
    taken.add(LISTS.large)
    add.call(this, p)
  }
}

/** Notes from now on which ways an engine takes. */
export function watchPaths(engine: Engine): void {
  const kernels = engine.elementKernels
  watchLists()
  if (kernels === undefined || ENGINES.has(kernels)) return
  ENGINES.add(kernels)
  const { quadKernelFor, compileInParts, allocate } = kernels
  kernels.allocate = (byteLength) => {
    const made = allocate.call(kernels, byteLength)
    if (made !== undefined) MEMORIES.set(made.byteOffset, made.buffer)
    return made
  }
  kernels.compileInParts = (program) => compileInParts.call(kernels, withNotes(program))
  kernels.quadKernelFor = (program) => {
    const kernel = quadKernelFor.call(kernels, withNotes(program))
    if (kernel === undefined) return undefined
    const known = WATCHED.get(kernel) ?? watched(kernel, program)
    WATCHED.set(kernel, known)
    return known
  }
}

let before = { ...sharedCounts }
let nextWavesBefore = 0

/** The ways that were taken since the last call. */
export function takePaths(): string[] {
  for (const [name, text] of Object.entries(SHARED)) {
    const count = name as keyof typeof sharedCounts
    if (sharedCounts[count] > before[count]) taken.add(text)
  }
  before = { ...sharedCounts }
  if (nextWaveCounts.programs > nextWavesBefore) taken.add(NEXT_WAVES)
  nextWavesBefore = nextWaveCounts.programs
  const all = [...taken]
  taken.clear()
  return all
}

export type PathCounts = Map<string, number>

export function addPaths(counts: PathCounts, paths: readonly string[]): void {
  for (const path of paths) counts.set(path, (counts.get(path) ?? 0) + 1)
}

/** How many frames took each way, a line each. */
export function printPaths(counts: PathCounts): string {
  const all = [...PATHS, NEXT_WAVES, ...Object.values(SHARED)]
  return all.map((path) => `${counts.get(path) ?? 0} frames with ${path}`).join('\n')
}
