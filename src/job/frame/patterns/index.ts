/**
 * Contents that a frame can name: meshes, pictures and buffers that are computed, the same bytes on every machine.
 * Arithmetic is float64 with + - * / and square roots only, rounded where it is stored.
 */

import type { Parts } from '../../../engine/index.ts'
import { type GbufferOptions, writeAlbedo, writeDepth, writeMaterial, writeNormals } from './gbuffer.ts'
import {
  writeGridIndices,
  writeLargeTriangles,
  writeLeafInstances,
  writeMovingParticles,
  writeParticles,
  writePatches,
  writePatchIndices,
  writeSmallTriangles,
  writeTerrain,
} from './meshes.ts'
import { pictureBytes, writeHeights, writeLeaf, writeTiles } from './pictures.ts'
import { createWriter, type Writer } from './writer.ts'

/** What a pattern is made for: a whole buffer, or mip 0 of a texture. */
export interface PatternTarget {
  readonly width: number
  readonly height: number
}

interface PatternKind {
  /** Its parameters, each with the range of its value; whole numbers unless they say otherwise. */
  readonly parameters: readonly PatternParameter[]
  readonly byteLength: (p: ParameterValues, target: PatternTarget) => number
  readonly write: (w: Writer, p: ParameterValues, target: PatternTarget) => Parts
}

interface PatternParameter {
  readonly name: string
  readonly isWhole: boolean
  readonly least: number
  readonly most: number
}

type ParameterValues = Readonly<Record<string, number>>

const whole = (name: string, least: number, most: number): PatternParameter => ({ name, isWhole: true, least, most })
const real = (name: string): PatternParameter => ({ name, isWhole: false, least: -1e6, most: 1e6 })

const SEED = whole('seed', 0, 0xffffffff)
/** Cells of a grid's side, texels of a picture's side, and elements: as many as resources hold. */
const CELLS = whole('n', 1, 4096)
const SIDE = whole('size', 1, 4096)
const COUNT = whole('count', 0, 2 ** 24)

const gbuffer = (bytes: number, write: (w: Writer, o: GbufferOptions) => Parts): PatternKind => ({
  parameters: [real('halfX'), real('halfY')],
  byteLength: (_, t) => t.width * t.height * bytes,
  write: (w, p, t) => write(w, { ...t, halfX: p.halfX!, halfY: p.halfY! }),
})

const KINDS = {
  terrain: {
    parameters: [CELLS, SEED, real('height')],
    byteLength: (p) => (p.n! + 1) ** 2 * 32,
    write: (w, p) => writeTerrain(w, p.n!, p.seed!, p.height!),
  },
  'grid-indices': {
    parameters: [CELLS],
    byteLength: (p) => p.n! ** 2 * 24,
    write: (w, p) => writeGridIndices(w, p.n!),
  },
  'large-triangles': {
    parameters: [COUNT, SEED, real('radius')],
    byteLength: (p) => p.count! * 36,
    write: (w, p) => writeLargeTriangles(w, p.count!, p.seed!, p.radius!),
  },
  'small-triangles': {
    parameters: [COUNT, SEED, real('radius')],
    byteLength: (p) => p.count! * 48,
    write: (w, p) => writeSmallTriangles(w, p.count!, p.seed!, p.radius!),
  },
  'tile-mips': {
    parameters: [SIDE, SEED, whole('cells', 1, 256)],
    byteLength: (p) => pictureBytes(p.size!),
    write: (w, p) => writeTiles(w, p.size!, p.seed!, p.cells!),
  },
  'leaf-mips': {
    parameters: [SIDE, SEED],
    byteLength: (p) => pictureBytes(p.size!),
    write: (w, p) => writeLeaf(w, p.size!, p.seed!),
  },
  'leaf-instances': {
    parameters: [COUNT, SEED, real('size')],
    byteLength: (p) => p.count! * 32,
    write: (w, p) => writeLeafInstances(w, p.count!, p.seed!, p.size!),
  },
  'gbuffer-albedo': gbuffer(4, writeAlbedo),
  'gbuffer-normal': gbuffer(4, writeNormals),
  'gbuffer-material': gbuffer(4, writeMaterial),
  'gbuffer-depth': gbuffer(4, writeDepth),
  patches: {
    parameters: [CELLS],
    byteLength: (p) => (p.n! + 1) ** 2 * 20,
    write: (w, p) => writePatches(w, p.n!),
  },
  'patch-indices': {
    parameters: [CELLS],
    byteLength: (p) => p.n! ** 2 * 16,
    write: (w, p) => writePatchIndices(w, p.n!),
  },
  heights: {
    parameters: [SIDE, SEED],
    byteLength: (p) => p.size! ** 2 * 4,
    write: (w, p) => writeHeights(w, p.size!, p.seed!),
  },
  particles: {
    parameters: [COUNT, SEED, real('size')],
    byteLength: (p) => p.count! * 20,
    write: (w, p) => writeParticles(w, p.count!, p.seed!, p.size!),
  },
  'moving-particles': {
    parameters: [COUNT, SEED],
    byteLength: (p) => p.count! * 32,
    write: (w, p) => writeMovingParticles(w, p.count!, p.seed!),
  },
} as const satisfies Readonly<Record<string, PatternKind>>

export type PatternName = keyof typeof KINDS

export const PATTERN_NAMES = Object.keys(KINDS) as readonly PatternName[]

export interface Pattern {
  readonly kind: 'pattern'
  readonly name: PatternName
  readonly parameters: ParameterValues
  /** JSON path. */
  readonly path: string
}

export function patternParameters(name: PatternName): readonly PatternParameter[] {
  return KINDS[name].parameters
}

const kindOf = (name: PatternName): PatternKind => KINDS[name]

/** Bytes that a pattern fills. */
export function patternLength(p: Pattern, target: PatternTarget): number {
  return kindOf(p.name).byteLength(p.parameters, target)
}

/** The bytes of a pattern, in parts of some milliseconds: pictures of millions of texels take seconds. */
export function* patternBytesInParts(p: Pattern, target: PatternTarget): Generator<void, Uint8Array> {
  const w = createWriter(patternLength(p, target))
  yield* kindOf(p.name).write(w, p.parameters, target)
  return w.bytes
}
