import { type Outcome, outcomeOf } from '../diagnostic/index.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { faultOutcome } from './fault.ts'
import { type ChunkLayout, finishChunk, observedLayout, Placer } from './layout.ts'

/** Descriptors that follow each other in a table (D3D12_DESCRIPTOR_RANGE1). */
export interface DescriptorRange {
  /** D3D12_DESCRIPTOR_RANGE_TYPE: 0 SRV, 1 UAV, 2 CBV, 3 sampler. */
  readonly kind: number
  /** 0xffffffff for an unbounded range. */
  readonly descriptorCount: number
  readonly register: number
  readonly space: number
  /** D3D12_DESCRIPTOR_RANGE_FLAGS; version 1.1 and later. */
  readonly flags?: number
  /** 0xffffffff to append. */
  readonly tableOffset: number
}

interface ParameterBase {
  /** D3D12_SHADER_VISIBILITY. */
  readonly visibility: number
}

/** A root parameter that points to ranges of descriptors (D3D12_ROOT_DESCRIPTOR_TABLE1). */
export interface DescriptorTable extends ParameterBase {
  readonly kind: 'table'
  readonly ranges: readonly DescriptorRange[]
}

/** Constants that stand in the root signature itself (D3D12_ROOT_CONSTANTS). */
export interface RootConstants extends ParameterBase {
  readonly kind: 'constants'
  readonly register: number
  readonly space: number
  readonly dwordCount: number
}

/** A buffer whose address stands in the root signature (D3D12_ROOT_DESCRIPTOR1). */
export interface RootDescriptor extends ParameterBase {
  readonly kind: 'cbv' | 'srv' | 'uav'
  readonly register: number
  readonly space: number
  /** D3D12_ROOT_DESCRIPTOR_FLAGS; version 1.1 and later. */
  readonly flags?: number
}

/** One parameter of a root signature (D3D12_ROOT_PARAMETER1). */
export type RootParameter = DescriptorTable | RootConstants | RootDescriptor

/** A sampler that is part of the root signature (D3D12_STATIC_SAMPLER_DESC). */
export interface StaticSampler {
  /** D3D12_FILTER. */
  readonly filter: number
  /** D3D12_TEXTURE_ADDRESS_MODE of u, v and w. */
  readonly address: readonly [number, number, number]
  /** The bits of the float, so that a NaN keeps its payload. */
  readonly mipLodBiasBits: number
  readonly maxAnisotropy: number
  /** D3D12_COMPARISON_FUNC. */
  readonly comparison: number
  /** D3D12_STATIC_BORDER_COLOR. */
  readonly borderColor: number
  /** Bits of the floats. */
  readonly minLodBits: number
  readonly maxLodBits: number
  readonly register: number
  readonly space: number
  readonly visibility: number
  /** Version 1.2. */
  readonly flags?: number
}

/** The RTS0 part: a root signature as Direct3D 12 serializes it. */
export interface RootSignature {
  /** 1 for version 1.0, 2 for 1.1, 3 for 1.2. */
  readonly version: number
  readonly parameters: readonly RootParameter[]
  readonly staticSamplers: readonly StaticSampler[]
  /** D3D12_ROOT_SIGNATURE_FLAGS. */
  readonly flags: number
  readonly layout?: ChunkLayout
}

const HEADER_BYTES = 24
const PARAMETER_BYTES = 12
const KINDS = ['table', 'constants', 'cbv', 'srv', 'uav'] as const

function rangeDwords(version: number): number {
  return version >= 2 ? 6 : 5
}

function samplerDwords(version: number): number {
  return version >= 3 ? 14 : 13
}

/** RTS0 to its model: versions 1.0, 1.1 and 1.2. */
export function decodeRootSignature(data: Uint8Array, fourcc = 'RTS0'): Outcome<RootSignature> {
  const reader = new ByteReader(data)
  const [version = 0, parameterCount = 0, parametersAt = 0, samplerCount = 0, samplersAt = 0, flags = 0] =
    reader.dwords(0, 6, 'the header')
  if (version < 1 || version > 3) reader.fail('value', 0, 4, `version ${version}`)
  const placer = new Placer(HEADER_BYTES)
  const parameters: RootParameter[] = []
  if (reader.claim(parametersAt, parameterCount * PARAMETER_BYTES, 'the parameters')) {
    placer.observe(parametersAt, parameterCount * PARAMETER_BYTES, 4)
  }
  for (let i = 0; i < parameterCount && reader.fault === undefined; i++) {
    const parameter = readParameter(reader, placer, version, parametersAt + i * PARAMETER_BYTES)
    if (parameter !== undefined) parameters.push(parameter)
  }
  const size = samplerDwords(version) * 4
  const staticSamplers: StaticSampler[] = []
  if (reader.claim(samplersAt, samplerCount * size, 'the static samplers')) {
    placer.observe(samplersAt, samplerCount * size, 4)
  }
  for (let i = 0; i < samplerCount && reader.fault === undefined; i++) {
    staticSamplers.push(readSampler(reader, version, samplersAt + i * size))
  }
  if (reader.fault !== undefined) return faultOutcome(fourcc, reader.fault)
  const layout = observedLayout(data, placer, 4, 0)
  const value = { version, parameters, staticSamplers, flags, ...(layout === undefined ? {} : { layout }) }
  return outcomeOf(value)
}

function readParameter(reader: ByteReader, placer: Placer, version: number, record: number): RootParameter | undefined {
  const [type = 0, visibility = 0, at = 0] = reader.dwords(record, 3, 'a parameter')
  const kind = KINDS[type]
  if (kind === undefined) {
    reader.fail('value', record, 4, `parameter type ${type}`)
    return undefined
  }
  if (kind === 'table') return { kind, visibility, ranges: readRanges(reader, placer, version, at) }
  if (kind === 'constants') {
    const [register = 0, space = 0, dwordCount = 0] = reader.dwords(at, 3, 'root constants')
    placer.observe(at, 12, 4)
    return { kind, visibility, register, space, dwordCount }
  }
  const [register = 0, space = 0, flags = 0] = reader.dwords(at, version >= 2 ? 3 : 2, 'a root descriptor')
  placer.observe(at, version >= 2 ? 12 : 8, 4)
  return { kind, visibility, register, space, ...(version >= 2 ? { flags } : {}) }
}

function readRanges(reader: ByteReader, placer: Placer, version: number, at: number): DescriptorRange[] {
  const [count = 0, rangesAt = 0] = reader.dwords(at, 2, 'a descriptor table')
  const size = rangeDwords(version) * 4
  placer.observe(at, 8, 4)
  if (!reader.claim(rangesAt, count * size, 'the descriptor ranges')) return []
  placer.observe(rangesAt, count * size, 4)
  return Array.from({ length: count }, (_, i) => {
    const dwords = reader.dwords(rangesAt + i * size, size / 4, 'a descriptor range')
    const [kind = 0, descriptorCount = 0, register = 0, space = 0, fifth = 0, sixth = 0] = dwords
    const range = { kind, descriptorCount, register, space }
    return version >= 2 ? { ...range, flags: fifth, tableOffset: sixth } : { ...range, tableOffset: fifth }
  })
}

function readSampler(reader: ByteReader, version: number, at: number): StaticSampler {
  const [filter = 0, u = 0, v = 0, w = 0, mipLodBiasBits = 0, maxAnisotropy = 0, comparison = 0, ...rest] =
    reader.dwords(at, samplerDwords(version), 'a static sampler')
  const [borderColor = 0, minLodBits = 0, maxLodBits = 0, register = 0, space = 0, visibility = 0, flags = 0] = rest
  const filtering = { filter, address: [u, v, w] as const, mipLodBiasBits, maxAnisotropy, comparison, borderColor }
  const place = { minLodBits, maxLodBits, register, space, visibility }
  return { ...filtering, ...place, ...(version >= 3 ? { flags } : {}) }
}

/** RTS0 from its model: parameters, what each of them points at, then the static samplers. */
export function encodeRootSignature(model: RootSignature): Uint8Array {
  const { version, parameters, staticSamplers } = model
  const placer = new Placer(HEADER_BYTES, model.layout)
  const out = new ByteWriter(0)
  const parametersAt = placer.place(parameters.length * PARAMETER_BYTES, 4)
  parameters.forEach((parameter, i) => {
    const at = writeParameter(out, placer, version, parameter)
    const record = [KINDS.indexOf(parameter.kind), parameter.visibility, at]
    out.dwords(parametersAt + i * PARAMETER_BYTES, record)
  })
  const size = samplerDwords(version) * 4
  const samplersAt = placer.place(staticSamplers.length * size, 4)
  staticSamplers.forEach((sampler, i) => {
    out.dwords(samplersAt + i * size, samplerRecord(version, sampler))
  })
  out.dwords(0, [version, parameters.length, parametersAt, staticSamplers.length, samplersAt, model.flags])
  return finishChunk(out, placer, model.layout, 4)
}

function writeParameter(out: ByteWriter, placer: Placer, version: number, parameter: RootParameter): number {
  if (parameter.kind === 'table') {
    const at = placer.place(8, 4)
    const size = rangeDwords(version) * 4
    const rangesAt = placer.place(parameter.ranges.length * size, 4)
    out.dwords(at, [parameter.ranges.length, rangesAt])
    parameter.ranges.forEach((range, i) => {
      const { kind, descriptorCount, register, space, tableOffset } = range
      const flags = version >= 2 ? [range.flags ?? 0] : []
      out.dwords(rangesAt + i * size, [kind, descriptorCount, register, space, ...flags, tableOffset])
    })
    return at
  }
  const { register, space } = parameter
  const third = parameter.kind === 'constants' ? [parameter.dwordCount] : version >= 2 ? [parameter.flags ?? 0] : []
  const at = placer.place(8 + third.length * 4, 4)
  out.dwords(at, [register, space, ...third])
  return at
}

function samplerRecord(version: number, s: StaticSampler): number[] {
  const filtering = [s.filter, ...s.address, s.mipLodBiasBits, s.maxAnisotropy, s.comparison, s.borderColor]
  const place = [s.minLodBits, s.maxLodBits, s.register, s.space, s.visibility]
  return [...filtering, ...place, ...(version >= 3 ? [s.flags ?? 0] : [])]
}
