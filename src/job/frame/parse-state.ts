/** Pipeline state of a frame, in either notation: enumerators with or without their prefix, ranges as Direct3D has them. */
import { present } from '../../diagnostic/index.ts'
import type {
  BlendDescription,
  DepthStencilState,
  InputElement,
  PrimitiveTopology,
  RasterizerState,
  ScissorRect,
  StencilFace,
  StreamOutputEntry,
  StreamOutputState,
  TargetBlend,
  Viewport,
} from '../../pipeline/index.ts'
import { type Fields, show } from '../parse/fields.ts'
import type { Naming } from './naming.ts'

const COMPARISONS = ['NEVER', 'LESS', 'EQUAL', 'LESS_EQUAL', 'GREATER', 'NOT_EQUAL', 'GREATER_EQUAL', 'ALWAYS'] as const
const STENCIL_OPS = ['KEEP', 'ZERO', 'REPLACE', 'INCR_SAT', 'DECR_SAT', 'INVERT', 'INCR', 'DECR'] as const
const BLENDS = [
  ...(['ZERO', 'ONE', 'SRC_COLOR', 'INV_SRC_COLOR', 'SRC_ALPHA', 'INV_SRC_ALPHA', 'DEST_ALPHA'] as const),
  ...(['INV_DEST_ALPHA', 'DEST_COLOR', 'INV_DEST_COLOR', 'SRC_ALPHA_SAT', 'BLEND_FACTOR'] as const),
  ...(['INV_BLEND_FACTOR', 'SRC1_COLOR', 'INV_SRC1_COLOR', 'SRC1_ALPHA', 'INV_SRC1_ALPHA'] as const),
]
const BLEND_OPS = ['ADD', 'SUBTRACT', 'REV_SUBTRACT', 'MIN', 'MAX'] as const
const LOGIC_OPS = [
  ...(['CLEAR', 'SET', 'COPY', 'COPY_INVERTED', 'NOOP', 'INVERT', 'AND', 'NAND', 'OR', 'NOR', 'XOR'] as const),
  ...(['EQUIV', 'AND_REVERSE', 'AND_INVERTED', 'OR_REVERSE', 'OR_INVERTED'] as const),
]
const TOPOLOGIES: readonly PrimitiveTopology[] = [
  ...(['POINTLIST', 'LINELIST', 'LINESTRIP', 'TRIANGLELIST', 'TRIANGLESTRIP'] as const),
  ...(['LINELIST_ADJ', 'LINESTRIP_ADJ', 'TRIANGLELIST_ADJ', 'TRIANGLESTRIP_ADJ'] as const),
  ...Array.from({ length: 32 }, (_, i) => `${i + 1}_CONTROL_POINT_PATCHLIST` as const),
]

const MAX_WORD = 0xffffffff
const MAX_INT = 0x7fffffff
const MAX_INPUT_SLOT = 31
const MAX_TARGETS = 8
const MAX_VIEWPORTS = 16
const MAX_STREAMS = 4

export function parseTopology(f: Fields, name: string): PrimitiveTopology {
  return f.require(name, f.word(name, TOPOLOGIES, 'D3D11_PRIMITIVE_TOPOLOGY_')) ?? 'TRIANGLELIST'
}

/** The offset of an element: bytes, or APPEND (D3D11_APPEND_ALIGNED_ELEMENT, 0xffffffff). */
function alignedOffset(f: Fields, name: string): number | 'APPEND' | undefined {
  if (typeof f.raw(name) === 'string') return f.word(name, ['APPEND'] as const)
  const given = f.whole(name, 0, MAX_WORD)
  return given === MAX_WORD ? 'APPEND' : given
}

export function parseInputLayout(elements: readonly Fields[], n: Naming): InputElement[] {
  return elements.map((f) => {
    const element = present({
      semanticName: f.require(n('semanticName'), f.text(n('semanticName'))) ?? '',
      semanticIndex: f.whole(n('semanticIndex'), 0, MAX_WORD),
      format: f.require(n('format'), f.text(n('format'))) ?? '',
      inputSlot: f.whole(n('inputSlot'), 0, MAX_INPUT_SLOT),
      alignedByteOffset: alignedOffset(f, n('alignedByteOffset')),
      inputSlotClass: f.word(n('inputSlotClass'), ['PER_VERTEX_DATA', 'PER_INSTANCE_DATA'] as const, 'D3D11_INPUT_'),
      instanceDataStepRate: f.whole(n('instanceDataStepRate'), 0, MAX_WORD),
    })
    f.done()
    return element
  })
}

export function parseRasterizer(f: Fields | undefined, n: Naming): Partial<RasterizerState> {
  if (f === undefined) return {}
  const state = present({
    fillMode: f.word(n('fillMode'), ['SOLID', 'WIREFRAME'] as const, 'D3D11_FILL_'),
    cullMode: f.word(n('cullMode'), ['NONE', 'FRONT', 'BACK'] as const, 'D3D11_CULL_'),
    frontCounterClockwise: f.flag(n('frontCounterClockwise')),
    depthBias: f.whole(n('depthBias'), -MAX_INT - 1, MAX_INT),
    depthBiasClamp: f.number(n('depthBiasClamp')),
    slopeScaledDepthBias: f.number(n('slopeScaledDepthBias')),
    depthClipEnable: f.flag(n('depthClipEnable')),
    scissorEnable: f.flag(n('scissorEnable')),
    multisampleEnable: f.flag(n('multisampleEnable')),
    antialiasedLineEnable: f.flag(n('antialiasedLineEnable')),
    forcedSampleCount: sampleCount(f, n('forcedSampleCount')),
    conservativeRaster: f.word(
      n('conservativeRaster'),
      ['OFF', 'ON'] as const,
      'D3D11_CONSERVATIVE_RASTERIZATION_MODE_',
    ),
  })
  f.done()
  return state
}

function sampleCount(f: Fields, name: string): number | undefined {
  const count = f.whole(name, 0, 16)
  if (count === undefined || [0, 1, 4, 8, 16].includes(count)) return count
  f.report('job-out-of-range', name, `one of 0 (off), 1, 4, 8 and 16 is expected; ${count} was given`)
  return undefined
}

function parseFace(f: Fields | undefined, n: Naming): StencilFace | undefined {
  if (f === undefined) return undefined
  const op = (name: string) => f.word(n(name), STENCIL_OPS, 'D3D11_STENCIL_OP_') ?? 'KEEP'
  const face = {
    stencilFailOp: op('stencilFailOp'),
    stencilDepthFailOp: op('stencilDepthFailOp'),
    stencilPassOp: op('stencilPassOp'),
    stencilFunc: f.word(n('stencilFunc'), COMPARISONS, 'D3D11_COMPARISON_') ?? 'ALWAYS',
  }
  f.done()
  return face
}

export function parseDepthStencil(f: Fields | undefined, n: Naming): Partial<DepthStencilState> {
  if (f === undefined) return {}
  const state = present({
    depthEnable: f.flag(n('depthEnable')),
    depthWriteMask: f.word(n('depthWriteMask'), ['ZERO', 'ALL'] as const, 'D3D11_DEPTH_WRITE_MASK_'),
    depthFunc: f.word(n('depthFunc'), COMPARISONS, 'D3D11_COMPARISON_'),
    stencilEnable: f.flag(n('stencilEnable')),
    stencilReadMask: f.whole(n('stencilReadMask'), 0, 0xff),
    stencilWriteMask: f.whole(n('stencilWriteMask'), 0, 0xff),
    frontFace: parseFace(f.object(n('frontFace')), n),
    backFace: parseFace(f.object(n('backFace')), n),
  })
  f.done()
  return state
}

function parseTargetBlend(f: Fields, n: Naming): Partial<TargetBlend> {
  const blend = (name: string) => f.word(n(name), BLENDS, 'D3D11_BLEND_')
  const op = (name: string) => f.word(n(name), BLEND_OPS, 'D3D11_BLEND_OP_')
  const target = present({
    blendEnable: f.flag(n('blendEnable')),
    logicOpEnable: f.flag(n('logicOpEnable')),
    srcBlend: blend('srcBlend'),
    destBlend: blend('destBlend'),
    blendOp: op('blendOp'),
    srcBlendAlpha: blend('srcBlendAlpha'),
    destBlendAlpha: blend('destBlendAlpha'),
    blendOpAlpha: op('blendOpAlpha'),
    logicOp: f.word(n('logicOp'), LOGIC_OPS, 'D3D11_LOGIC_OP_'),
    renderTargetWriteMask: f.whole(n('renderTargetWriteMask'), 0, 0xf),
  })
  f.done()
  return target
}

/** Complains of lists that are longer than Direct3D's. */
export function limitList(f: Fields, name: string, count: number, most: number): void {
  if (count > most) f.report('job-out-of-range', name, `at most ${most} are allowed; ${count} were given`)
}

export function parseBlend(f: Fields | undefined, n: Naming): BlendDescription {
  if (f === undefined) return {}
  const targets = f.objects(n('renderTarget'))
  limitList(f, n('renderTarget'), targets.length, MAX_TARGETS)
  const state = present({
    alphaToCoverageEnable: f.flag(n('alphaToCoverageEnable')),
    independentBlendEnable: f.flag(n('independentBlendEnable')),
    renderTarget: f.has(n('renderTarget')) ? targets.map((t) => parseTargetBlend(t, n)) : undefined,
  })
  f.done()
  return state
}

/** Numbers, as many as are expected. */
function numbers(f: Fields, name: string, count: number, what: string): number[] | undefined {
  const list = f.list(name)
  if (list === undefined) return undefined
  if (list.length === count && list.every((v) => typeof v === 'number')) return list as number[]
  f.report('job-wrong-type', name, `${count} numbers are expected: ${what}; ${show(list)} was given`)
  return undefined
}

export function parseFour(f: Fields, name: string, what: string): [number, number, number, number] | undefined {
  const list = numbers(f, name, 4, what)
  return list === undefined ? undefined : [list[0]!, list[1]!, list[2]!, list[3]!]
}

export function parseViewports(f: Fields, name: string, n: Naming): Viewport[] | undefined {
  if (!f.has(name)) return undefined
  const list = f.objects(name)
  limitList(f, name, list.length, MAX_VIEWPORTS)
  return list.map((v) => {
    const part = (field: string, otherwise: number): number => {
      const value = v.number(n(field))
      const [least, most] = field.endsWith('Depth') ? [0, 1] : [field.startsWith('topLeft') ? -32768 : 0, 32767]
      if (value !== undefined && (value < least || value > most)) {
        v.report('job-out-of-range', n(field), `a number from ${least} to ${most} is expected; ${value} was given`)
      }
      return value ?? otherwise
    }
    v.require(n('width'), v.number(n('width')))
    v.require(n('height'), v.number(n('height')))
    const viewport = {
      topLeftX: part('topLeftX', 0),
      topLeftY: part('topLeftY', 0),
      width: part('width', 0),
      height: part('height', 0),
      minDepth: part('minDepth', 0),
      maxDepth: part('maxDepth', 1),
    }
    v.done()
    return viewport
  })
}

export function parseScissors(f: Fields, name: string, n: Naming): ScissorRect[] | undefined {
  if (!f.has(name)) return undefined
  const list = f.objects(name)
  limitList(f, name, list.length, MAX_VIEWPORTS)
  return list.map((r) => {
    // The sides of a D3D11_RECT are in small letters, unlike the fields of all other descriptions.
    const side = (field: string): number => {
      const given = r.has(n(field)) ? n(field) : field
      return r.require(given, r.whole(given, -MAX_INT - 1, MAX_INT)) ?? 0
    }
    const rect = { left: side('left'), top: side('top'), right: side('right'), bottom: side('bottom') }
    r.done()
    return rect
  })
}

function parseEntry(f: Fields, n: Naming): StreamOutputEntry {
  const isGap = f.raw(n('semanticName')) === null
  const entry = {
    stream: f.whole(n('stream'), 0, MAX_STREAMS - 1) ?? 0,
    semanticName: isGap ? null : (f.require(n('semanticName'), f.text(n('semanticName'))) ?? ''),
    semanticIndex: f.whole(n('semanticIndex'), 0, MAX_WORD) ?? 0,
    startComponent: f.whole(n('startComponent'), 0, 3) ?? 0,
    componentCount: f.require(n('componentCount'), f.whole(n('componentCount'), 1, isGap ? 255 : 4)) ?? 1,
    outputSlot: f.whole(n('outputSlot'), 0, MAX_STREAMS - 1) ?? 0,
  }
  f.done()
  return entry
}

/** A stream that is rasterized: a number, or the name of none. */
function rasterizedStream(f: Fields, name: string): number | null {
  const given = f.raw(name)
  if (given === null) return null
  if (typeof given === 'string') {
    f.word(name, ['NO_RASTERIZED_STREAM'] as const, 'D3D11_SO_')
    return null
  }
  const number = f.whole(name, 0, MAX_WORD)
  return number === MAX_WORD ? null : (number ?? 0)
}

/** The state of stream output; where its fields stand in one object with other things, those are left to the caller. */
export function parseStreamOutput(f: Fields, strides: string, n: Naming): StreamOutputState {
  const declaration = f.require(n('declaration'), f.objects(n('declaration')))?.map((e) => parseEntry(e, n)) ?? []
  const given = f.list(strides) ?? []
  limitList(f, strides, given.length, MAX_STREAMS)
  const wrong = given.findIndex((s) => !Number.isInteger(s) || (s as number) < 0 || (s as number) > MAX_WORD)
  if (wrong >= 0)
    f.report(
      'job-out-of-range',
      `${strides}[${wrong}]`,
      `a number of bytes is expected; ${show(given[wrong])} was given`,
    )
  return {
    declaration,
    strides: wrong < 0 ? (given as number[]) : [],
    rasterizedStream: rasterizedStream(f, n('rasterizedStream')),
  }
}
