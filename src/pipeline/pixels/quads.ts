import { type ElementKernels, type PixelPlace, QUADS_OF_A_CALL } from '../../engine/index.ts'
import { SRGB8_TABLES } from '../../machine/index.ts'
import { createPool, type Pool } from '../pool.ts'
import { JOB_WORDS, PrimitiveTable, RECORD_WORDS, type RecordRing, ROW_WORD, rowLength } from '../raster/index.ts'
import type { Precision } from '../state.ts'
import type { PixelLinkage } from './link-inputs.ts'

/**
 * Memory of the quads of a draw, by columns: those that the rasterizer has found, those that wait for their shader, and the rows of
 * their primitives. One range, so that compiled code reaches all of it from one address. Pixel i of quad n is lane 4 * n + i.
 */

/** Quads that the rasterizer finds until they are tested together. */
const FOUND_CAPACITY = QUADS_OF_A_CALL
/** Quads that may be covered by jobs of which those are listed that pass: few do where many are hidden. */
export const LISTED_CAPACITY = 4 * FOUND_CAPACITY
/** Quads of the largest batch. */
const SHADED_CAPACITY = 256
/** Bytes of the rows of primitives: as many as keep a batch of small triangles full, and still fit a cache of the second level. */
const TABLE_BYTES = 192 * 1024
const SAMPLES = 16
const PARAMETER_WORDS = 96
/** Triangles that wait to be covered. */
export const JOB_CAPACITY = 512
/** Their records, and one that is written while they wait. */
const RECORD_CAPACITY = JOB_CAPACITY + 1
/** Triangles that are set up in one call; they are looked at four at once. */
const SETUP_CAPACITY = JOB_CAPACITY + 4
/** Rows that the table has at the most: of primitives without attributes. */
const MAX_ROWS = Math.floor(TABLE_BYTES / rowLength(0, 0, 'exact'))

/**
 * What is added to the place of a quad's first pixel, x and y as halves of a word, for those of its pixels that are set, one behind the
 * other: four words for each set of pixels.
 */
const PACKED_MOVES = Int32Array.from({ length: 64 }, (_, at) => {
  const set = [0, 1, 2, 3].filter((i) => ((at >> 2) & (1 << i)) !== 0)
  const pixel = set[at & 3] ?? 0
  return (pixel & 1) | ((pixel >> 1) << 16)
})

let next = 0
/** Places a column behind the one before it; all begin at multiples of 8, since there are doubles. */
function column(words: number): number {
  const at = next
  next += (words + (words & 1)) * 4
  return at
}

/** Where the columns begin, in bytes. */
export const QUAD_MEMORY = {
  /** Numbers of a call that compiled code reads: those of PARAMETER. */
  parameters: column(PARAMETER_WORDS),
  /** x and y of each sample in 1/256 pixel from the center. */
  offsets: column(SAMPLES * 2),
  /** The tables of sRGB. */
  srgb: { linear: column(SRGB8_TABLES.linear.length), steps: column(SRGB8_TABLES.steps.length) },
  found: {
    primitives: column(LISTED_CAPACITY),
    x: column(LISTED_CAPACITY),
    y: column(LISTED_CAPACITY),
    masks: column(LISTED_CAPACITY * 4),
    passed: column(LISTED_CAPACITY * 4),
  },
  /** Covered pixels without helpers, by groups of four: `packed-pixels.ts`. A vector is stored at the last place. */
  packed: {
    primitives: column(LISTED_CAPACITY + 2),
    places: column(LISTED_CAPACITY * 4 + 4),
    moves: column(PACKED_MOVES.length),
  },
  shaded: {
    primitives: column(SHADED_CAPACITY),
    x: column(SHADED_CAPACITY),
    y: column(SHADED_CAPACITY),
    slices: column(SHADED_CAPACITY),
    samples: column(SHADED_CAPACITY),
    masks: column(SHADED_CAPACITY * 4),
    coverage: column(SHADED_CAPACITY * 4),
    written: column(SHADED_CAPACITY * 4),
    runs: column(SHADED_CAPACITY),
    /** Of those of which the shader has kept a pixel: which quad of the batch each is. */
    numbers: column(SHADED_CAPACITY),
  },
  /** Triangles to cover, by JOB_WORDS; the records of those that were set up here; and the triangle of each row. */
  jobs: column((JOB_CAPACITY + 1) * JOB_WORDS),
  records: column(RECORD_CAPACITY * RECORD_WORDS),
  /** Triangles to set up: numbers of their vertices. */
  triangles: column(SETUP_CAPACITY * 3),
  /** Their identifiers and instances; of those that may have pixels the records and boxes, by JOB_WORDS. */
  triangleIds: column(SETUP_CAPACITY),
  triangleInstances: column(SETUP_CAPACITY),
  boxes: column(SETUP_CAPACITY * JOB_WORDS),
  rowJobs: column(MAX_ROWS + 2),
  /** Doubles of the triangle that is covered: those of its plane of depth, and of each sample. */
  ofTriangle: column((3 + SAMPLES) * 2),
  table: column(0),
} as const

/** Words of the parameters. */
export const PARAMETER = {
  /** The first word of the shader's inputs, counted as all addresses are. */
  inputs: 0,
  /** The first word of the depth buffer's view, and the bytes from one slice to the next. */
  depth: 1,
  depthSlice: 2,
  stencilReference: 3,
  /** The first word of the shader's o0 and o1; of the target that is written, its first word, and the bytes as for depth. */
  source: 4,
  source1: 5,
  target: 6,
  targetSlice: 7,
  /** Four words. */
  blendFactor: 8,
  /** Triangles to cover; quads that were found before and after; rows of the table before and after. */
  jobs: 12,
  found: 13,
  firstRow: 14,
  rows: 15,
  /** Of the viewport, float32. */
  minDepth: 16,
  maxDepth: 17,
  /** Samples that have passed, of triangles that are covered and tested at once. */
  passed: 18,
  /** Triangles to set up; the vertices of these on the screen; the pixels that they may have. */
  triangles: 19,
  screen: 20,
  left: 21,
  top: 22,
  right: 23,
  bottom: 24,
  /** The first triangle that was not set up, and by lane the pixels of those that were. */
  next: 25,
  pixels: 26,
  /** Vertices to place on the screen, by SCREEN: their positions in memory, and how many. */
  positions: 30,
  vertexCount: 31,
  /** By pixel of a quad: samples that have passed, or pixels of quads that were left out. */
  counted: 32,
  /** By pixel of a quad: helpers among the quads that were copied; the first that is copied, its place among those that wait, and how many. */
  helpers: 36,
  copyFrom: 40,
  copyTo: 41,
  copyCount: 42,
  /** The first bound of the depth buffer's blocks. */
  bounds: 43,
  /** Where whole records of triangles go, and the number that vertex 0 has in them. */
  records: 44,
  firstVertex: 45,
  /** The first word of a target whose lines are read ahead. Then what was read, and of how many triangles. */
  lines: 46,
  /** Triangles of a list that are set up. */
  listed: 48,
  /** Where the vertices of triangles that are set up begin. */
  vertices: 49,
  /** Quads of the call, of programs that go over them themselves. */
  quads: 60,
  /** The first of the found quads that are shaded where they lie. */
  firstQuad: 61,
  /** The first word of a part of a target that is read ahead, and behind the last; what was read. */
  readFrom: 62,
  readTo: 63,
  read: 64,
  /** By pixel of a quad: pixels with a sample that has passed. */
  invoked: 68,
  /** By share of rows: the next byte of its list. */
  lists: 72,
  /** Bytes of the places of pixels without helpers, and of those that are no repetitions. */
  packed: 88,
  /** The first word of what says which pixels the shader has kept. */
  kept: 90,
  /** Quads of which it has kept a pixel. */
  keptQuads: 91,
  /** By lane: what was read of their lines. */
  keptLines: 92,
  /** By lane, of whole records that were set up: quads of all boxes. */
  boxQuads: 72,
} as const

/** Columns of quads that wait for their shader: words by quad, and by pixel the samples that are covered, and those that results go to. */
export interface ShadedColumns {
  readonly primitives: number
  readonly x: number
  readonly y: number
  readonly coverage: number
  readonly masks: number
  /** By quad the sample that it runs for; left out where all run at pixel frequency. */
  readonly samples?: number
}

/** Those of the quads that wait for their shader. */
export const SHADED_COLUMNS: ShadedColumns = QUAD_MEMORY.shaded

/** Those of the quads that were found and tested. */
export const FOUND_COLUMNS: ShadedColumns = {
  ...QUAD_MEMORY.found,
  coverage: QUAD_MEMORY.found.masks,
  masks: QUAD_MEMORY.found.passed,
}

/** Rows are read by four words, which may end behind the last one. */
const BYTE_LENGTH = QUAD_MEMORY.table + TABLE_BYTES + 16

/** Quads that the rasterizer has found. */
export interface FoundQuads {
  count: number
  readonly capacity: number
  /** By quad: the row of its primitive. */
  readonly primitives: Int32Array
  /** By quad: its first pixel. */
  readonly x: Int32Array
  readonly y: Int32Array
  /** By pixel: covered samples as bits. */
  readonly masks: Int32Array
  /** By pixel: those of them that passed the tests. */
  readonly passed: Int32Array
  /** By quad, of draws that ask for it: a bit for each pixel that lies in the primitive as a whole. */
  readonly inner: Uint8Array
  /** By pixel, of antialiased lines: factors of o0.a. */
  readonly alphas: Float32Array
}

/** Quads that wait for their shader. */
export interface ShadedQuads {
  count: number
  /** Lanes of them that are no helpers. */
  invocations: number
  readonly primitives: Int32Array
  readonly x: Int32Array
  readonly y: Int32Array
  readonly slices: Int32Array
  /** By quad: the sample that it runs for; -1 at pixel frequency. */
  readonly samples: Int32Array
  /** By pixel: samples that its results go to. Where there is none it is a helper. */
  readonly masks: Int32Array
  /** By pixel: samples that its primitive covers. Neither tests nor the sample of the quad take from them (16.3.2). */
  readonly coverage: Int32Array
  /** By pixel: samples of the targets that are written. */
  readonly written: Int32Array
  /**
   * By quad: how many quads beside each other it stands for, of which all pixels have all samples; 0 where it is one with masks of its
   * own. Only programs that take runs are given any.
   */
  readonly runs: Int32Array
  /** There are some of these. */
  hasRuns: boolean
  /** By pixel: 1 where the primitive covers its whole square. */
  readonly inner: Uint8Array
  /** By pixel: what o0.a is multiplied by, the coverage of antialiased lines. */
  readonly alphas: Float32Array
  readonly helpers: Uint8Array
  /** By pixel: 1 where the shader discarded it. */
  readonly discarded: Uint8Array
}

export interface QuadMemory {
  readonly kernels: ElementKernels | undefined
  /** Byte of the engine's memory where it begins. */
  readonly start: number
  readonly buffer: ArrayBufferLike
  /** All columns. */
  readonly words: Int32Array
  readonly parameters: Int32Array
  readonly offsets: Int32Array
  readonly found: FoundQuads
  readonly shaded: ShadedQuads
  readonly tableBytes: number
  /** Triangles that wait to be covered, and records that they may have here. */
  readonly jobs: Int32Array
  readonly records: RecordRing
  /** Triangles to set up, their identifiers and instances; the boxes of those that may have pixels. */
  readonly triangles: Int32Array
  readonly triangleIds: Int32Array
  readonly triangleInstances: Int32Array
  readonly boxes: Int32Array
}

function viewsOf(kernels: ElementKernels | undefined, buffer: ArrayBufferLike, start: number): QuadMemory {
  const words = (byteOffset: number, length: number): Int32Array => new Int32Array(buffer, start + byteOffset, length)
  for (const name of ['linear', 'steps'] as const) {
    words(QUAD_MEMORY.srgb[name], SRGB8_TABLES[name].length).set(SRGB8_TABLES[name])
  }
  const { found: f, shaded: s, packed } = QUAD_MEMORY
  words(packed.moves, PACKED_MOVES.length).set(PACKED_MOVES)
  const [few, many] = [SHADED_CAPACITY, SHADED_CAPACITY * 4]
  return {
    kernels,
    start,
    buffer,
    words: words(0, QUAD_MEMORY.table / 4),
    parameters: words(QUAD_MEMORY.parameters, PARAMETER_WORDS),
    offsets: words(QUAD_MEMORY.offsets, SAMPLES * 2),
    tableBytes: TABLE_BYTES,
    jobs: words(QUAD_MEMORY.jobs, JOB_CAPACITY * JOB_WORDS),
    triangles: words(QUAD_MEMORY.triangles, SETUP_CAPACITY * 3),
    triangleIds: words(QUAD_MEMORY.triangleIds, SETUP_CAPACITY),
    triangleInstances: words(QUAD_MEMORY.triangleInstances, SETUP_CAPACITY),
    boxes: words(QUAD_MEMORY.boxes, SETUP_CAPACITY * JOB_WORDS),
    records: {
      words: words(QUAD_MEMORY.records, RECORD_CAPACITY * RECORD_WORDS),
      floats: new Float32Array(buffer, start + QUAD_MEMORY.records, RECORD_CAPACITY * RECORD_WORDS),
      next: 0,
    },
    found: {
      count: 0,
      capacity: FOUND_CAPACITY,
      primitives: words(f.primitives, LISTED_CAPACITY),
      x: words(f.x, LISTED_CAPACITY),
      y: words(f.y, LISTED_CAPACITY),
      masks: words(f.masks, LISTED_CAPACITY * 4),
      passed: words(f.passed, LISTED_CAPACITY * 4),
      inner: new Uint8Array(FOUND_CAPACITY),
      alphas: new Float32Array(FOUND_CAPACITY * 4),
    },
    shaded: {
      count: 0,
      invocations: 0,
      primitives: words(s.primitives, few),
      x: words(s.x, few),
      y: words(s.y, few),
      slices: words(s.slices, few),
      samples: words(s.samples, few),
      masks: words(s.masks, many),
      coverage: words(s.coverage, many),
      written: words(s.written, many),
      runs: words(s.runs, few),
      hasRuns: false,
      inner: new Uint8Array(many),
      alphas: new Float32Array(many),
      helpers: new Uint8Array(many),
      discarded: new Uint8Array(many),
    },
  }
}

const HEAP_POOL = createPool(() => viewsOf(undefined, new ArrayBuffer(BYTE_LENGTH), 0))
const POOLS = new WeakMap<ElementKernels, Pool<QuadMemory>>()

function poolOf(kernels: ElementKernels | undefined): Pool<QuadMemory> {
  if (kernels === undefined) return HEAP_POOL
  const known = POOLS.get(kernels)
  if (known !== undefined) return known
  const make = (): QuadMemory => {
    const made = kernels.allocate(BYTE_LENGTH)
    return made === undefined ? HEAP_POOL.acquire() : viewsOf(kernels, made.buffer, made.byteOffset)
  }
  const pool = createPool(make, ({ buffer, start }) => kernels.release({ buffer, byteOffset: start }, BYTE_LENGTH))
  POOLS.set(kernels, pool)
  return pool
}

/** Memory for a draw until it is given back: of the engine where it has kernels and room. */
export const acquireQuadMemory = (kernels: ElementKernels | undefined): QuadMemory => poolOf(kernels).acquire()

/** Of quads that no longer wait none stands for several. */
export function clearRuns(shaded: ShadedQuads): void {
  if (!shaded.hasRuns) return
  shaded.runs.fill(0)
  shaded.hasRuns = false
}

export function releaseQuadMemory(memory: QuadMemory): void {
  memory.found.count = 0
  memory.shaded.count = 0
  memory.shaded.invocations = 0
  clearRuns(memory.shaded)
  poolOf(memory.kernels).release(memory)
}

/** A table for as many primitives as the memory has room for. */
export function tableIn(
  { buffer, start, tableBytes }: QuadMemory,
  { attributes, clipDistances }: Pick<PixelLinkage, 'attributes' | 'clipDistances'>,
  precision: Precision,
): PrimitiveTable {
  const capacity = Math.floor(tableBytes / rowLength(attributes.length, clipDistances.length, precision))
  const byteOffset = start + QUAD_MEMORY.table
  return new PrimitiveTable({ attributes, clipDistances, precision, capacity, buffer, byteOffset })
}

export function placeOf(quads: ShadedQuads, table: PrimitiveTable, lane: number): PixelPlace {
  const quad = lane >> 2
  const row = quads.primitives[quad]!
  return {
    x: quads.x[quad]! + (lane & 1),
    y: quads.y[quad]! + ((lane >> 1) & 1),
    sample: quads.samples[quad]!,
    primitiveId: table.word(row, ROW_WORD.primitiveId),
    instance: table.word(row, ROW_WORD.instance),
    sequence: table.word(row, ROW_WORD.sequence),
  }
}

/** The lowest sample of a mask that is not empty. */
export const lowestSample = (mask: number): number => 31 - Math.clz32(mask & -mask)
