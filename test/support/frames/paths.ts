import type { ElementKernels, Engine, QuadKernel, QuadProgram } from '../../../src/engine/index.ts'
import { DecodedTextures } from '../../../src/engine/wasm/run/decoded/decoded-textures.ts'
import { sharedCounts } from '../../../src/pipeline/index.ts'
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
  'setup rows': 'rows of triangles found by code',
  cover: 'small triangles covered by code',
  reads: 'lines of targets read ahead',
  rows: 'rows filled by code',
  depth: 'triangles of depth alone',
  'tested early': 'triangles tested early',
  'tested ahead': 'triangles tested ahead of their shader',
  'tested bounds': 'triangles tested with bounds of depth',
  bounds: 'bounds of depth found',
  'tests found': 'quads tested before their shader',
  'tests shaded': 'quads tested behind their shader',
  inputs: 'inputs interpolated by code',
  colors: 'colors stored by code',
  copies: 'quads copied by code',
  'joined false': 'quads by one program',
  'joined true': 'runs of quads by one program',
  same: 'attributes that are the same everywhere left out',
}

const LISTS = {
  bands: 'lists of several bands',
  large: 'large triangles part by part',
  decoded: 'decoded copies of textures',
  shaded: 'points of the geometry shader where the vertex shader left them',
} as const

/** What workers do where there are any. */
const SHARED: Readonly<Record<keyof typeof sharedCounts, string>> = {
  draws: 'draws shared with workers',
  tilesOfWorkers: 'tiles by workers',
  fronts: 'draws shared from their vertices on',
  partsOfWorkers: 'parts of stages by workers',
  bands: 'draws whose triangles are set up by bands',
}

export const PATHS: readonly string[] = [...Object.values(PROGRAMS), ...Object.values(LISTS)]

const isKnown = (name: string): boolean => Object.hasOwn(PROGRAMS, name)

/** Names of a program: by the first words of its key. */
function namesOf({ key }: QuadProgram): string[] {
  const parts = JSON.parse(key) as readonly unknown[]
  const [first] = parts
  if (first === 'setup') return [`setup ${parts.at(-1)}`]
  if (first === 'tested') return [`tested ${parts[1]}`, ...(parts[2] === true ? ['tested bounds'] : [])]
  const { same } = (parts[2] ?? {}) as { same?: number }
  const hasSame = first === 'inputs' ? parts.at(-1) !== 0 : first === 'joined' && same !== 0
  return [String(first), `${first} ${parts[1]}`, ...(hasSame ? ['same'] : [])]
}

/** Ways that were taken since the last look. */
const taken = new Set<string>()

function watched(kernel: QuadKernel, program: QuadProgram): QuadKernel {
  const names = namesOf(program)
    .filter(isKnown)
    .map((name) => PROGRAMS[name]!)
  return {
    run(count, start) {
      for (const name of names) taken.add(name)
      kernel.run(count, start)
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
    const isDone = run.call(this, (list, from, end, band) => {
      tops.add(band.top)
      return find(list, from, end, band)
    })
    if (tops.size > 1) taken.add(LISTS.bands)
    return isDone
  }
  const textures = DecodedTextures.prototype
  const { stage } = textures
  textures.stage = function (view) {
    const staged = stage.call(this, view)
    if (staged !== undefined) taken.add(LISTS.decoded)
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
  const { quadKernelFor } = kernels
  kernels.quadKernelFor = (program) => {
    const kernel = quadKernelFor.call(kernels, program)
    if (kernel === undefined) return undefined
    const known = WATCHED.get(kernel) ?? watched(kernel, program)
    WATCHED.set(kernel, known)
    return known
  }
}

let before = { ...sharedCounts }

/** The ways that were taken since the last call. */
export function takePaths(): string[] {
  for (const [name, text] of Object.entries(SHARED)) {
    const count = name as keyof typeof sharedCounts
    if (sharedCounts[count] > before[count]) taken.add(text)
  }
  before = { ...sharedCounts }
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
  const all = [...PATHS, ...Object.values(SHARED)]
  return all.map((path) => `${counts.get(path) ?? 0} frames with ${path}`).join('\n')
}
