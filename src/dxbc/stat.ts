import { type Outcome, outcomeOf } from '../diagnostic/index.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { faultOutcome } from './fault.ts'

/**
 * The dwords of a STAT part in order. Names follow D3D11_SHADER_DESC where it shows the field; the others are named by
 * what fxc's files count in them. `reserved` ones have been 0 in every file seen.
 */
export const STAT_FIELDS = [
  'instructions',
  'temps',
  /** Rows of the immediate constant buffer (cs/icb). */
  'defs',
  /** Input and output declarations; of a hull shader not all of them (hs/passthrough.c1). */
  'dcls',
  'floatInstructions',
  'intInstructions',
  'uintInstructions',
  'staticFlowControl',
  'dynamicFlowControl',
  'macroInstructions',
  'tempArrays',
  'arrayInstructions',
  'cutInstructions',
  'emitInstructions',
  'textureNormalInstructions',
  'textureLoadInstructions',
  'textureCompareInstructions',
  'textureBiasInstructions',
  'textureGradientInstructions',
  'movInstructions',
  'movcInstructions',
  'conversionInstructions',
  'bitwiseInstructions',
  /** D3D_PRIMITIVE that a geometry or hull shader takes: 8 is a patch of one control point, 9 of two, and so on. */
  'inputPrimitive',
  /** D3D_PRIMITIVE_TOPOLOGY of a geometry shader. */
  'outputTopology',
  'maxOutputVertexCount',
  'textureGatherInstructions',
  'textureLodInstructions',
  /** 1 for a pixel shader that runs once a sample. */
  'sampleFrequency',
  'gsInstanceCount',
  /** Input control points of a domain shader, output control points of a hull shader. */
  'controlPoints',
  'hsOutputPrimitive',
  'hsPartitioning',
  'tessellatorDomain',
  'barrierInstructions',
  'interlockedInstructions',
  'textureStoreInstructions',
] as const

/** A count of the STAT chunk, as D3D11_SHADER_DESC names it. */
export type StatField = (typeof STAT_FIELDS)[number]

/** The statistics that a compiler or an assembler counts; every field is there, 0 where it does not apply. */
export type StatCounts = Readonly<Record<StatField, number>>

/** Shader Model 4 files have the first 29 dwords, Shader Model 5 files all 37. */
export const STAT_DWORDS_4 = 29
export const STAT_DWORDS_5 = STAT_FIELDS.length

/** The STAT chunk: counts of instructions, registers and declarations. */
export interface Statistics {
  readonly counts: StatCounts
  /** How many dwords are stored: 28 (early compilers), 29 or 37. */
  readonly dwordCount: number
  /** Dwords after the known ones. */
  readonly more?: readonly number[]
}

const ZERO_COUNTS = Object.fromEntries(STAT_FIELDS.map((field) => [field, 0])) as Record<StatField, number>

/** Counts that are all 0, to start from. */
export function zeroStatCounts(): Record<StatField, number> {
  return { ...ZERO_COUNTS }
}

/** STAT to its model. The length must be whole dwords. */
export function decodeStatistics(data: Uint8Array, fourcc = 'STAT'): Outcome<Statistics> {
  const reader = new ByteReader(data)
  if (data.length % 4 !== 0) reader.fail('value', 0, data.length, `${data.length} bytes, not whole dwords`)
  const dwords = reader.dwords(0, data.length >> 2, 'the counts')
  if (reader.fault !== undefined) return faultOutcome(fourcc, reader.fault)
  const counts = zeroStatCounts()
  STAT_FIELDS.forEach((field, i) => {
    counts[field] = dwords[i] ?? 0
  })
  const more = dwords.slice(STAT_FIELDS.length)
  const dwordCount = Math.min(dwords.length, STAT_FIELDS.length)
  return outcomeOf({ counts, dwordCount, ...(more.length > 0 ? { more } : {}) })
}

/** STAT from its model. */
export function encodeStatistics(statistics: Statistics): Uint8Array {
  const out = new ByteWriter()
  out.dwords(0, [
    ...STAT_FIELDS.slice(0, statistics.dwordCount).map((field) => statistics.counts[field]),
    ...(statistics.more ?? []),
  ])
  return out.finish()
}
