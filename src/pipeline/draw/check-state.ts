/** State of a pipeline: values that Direct3D has, and rules between them (functional specification 3.5.6, 15, 17). */
import {
  aBoolean,
  anything,
  checkArguments,
  type Diagnostic,
  diagnostic,
  type Expectation,
  numberFrom,
  oneOf,
  wholeFrom,
} from '../../diagnostic/index.ts'
import { FILE } from '../../isa/index.ts'
import type { PipelineShader } from '../shader.ts'
import type { DepthStencilState, RasterizerState } from '../state.ts'
import type { PipelineDescription } from './description.ts'

type Fields = Readonly<Record<string, Expectation>>

const aNumber = numberFrom(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
const aByte = wholeFrom(0, 255)
const aSampleCount: Expectation = (v) => ([0, 1, 4, 8, 16].includes(v as number) ? undefined : '0, 1, 4, 8 or 16')
const COMPARISON = oneOf('NEVER', 'LESS', 'EQUAL', 'LESS_EQUAL', 'GREATER', 'NOT_EQUAL', 'GREATER_EQUAL', 'ALWAYS')
const STENCIL_OP = oneOf('KEEP', 'ZERO', 'REPLACE', 'INCR_SAT', 'DECR_SAT', 'INVERT', 'INCR', 'DECR')
const BLEND_OP = oneOf('ADD', 'SUBTRACT', 'REV_SUBTRACT', 'MIN', 'MAX')
/** Factors that have an alpha of their own; those of alpha are these alone (17.2). */
const ALPHA_FACTORS = [
  ...['ZERO', 'ONE', 'SRC_ALPHA', 'INV_SRC_ALPHA', 'DEST_ALPHA', 'INV_DEST_ALPHA', 'SRC_ALPHA_SAT'],
  ...['BLEND_FACTOR', 'INV_BLEND_FACTOR', 'SRC1_ALPHA', 'INV_SRC1_ALPHA'],
]
const COLOR_FACTORS = [
  ...['SRC_COLOR', 'INV_SRC_COLOR', 'DEST_COLOR', 'INV_DEST_COLOR', 'SRC1_COLOR', 'INV_SRC1_COLOR'],
]

const PIPELINE_FIELDS: Fields = {
  vertex: anything,
  hull: anything,
  domain: anything,
  geometry: anything,
  pixel: anything,
  inputLayout: anything,
  topology: anything,
  rasterizer: anything,
  depthStencil: anything,
  blend: anything,
  streamOutput: anything,
  sampleMask: wholeFrom(-(2 ** 31), 2 ** 32 - 1),
  cutOnLists: aBoolean,
  precision: oneOf('exact', 'fast'),
}
const RASTERIZER_FIELDS: Fields = {
  fillMode: oneOf('SOLID', 'WIREFRAME'),
  cullMode: oneOf('NONE', 'FRONT', 'BACK'),
  frontCounterClockwise: aBoolean,
  depthBias: wholeFrom(-(2 ** 31), 2 ** 31 - 1),
  depthBiasClamp: aNumber,
  slopeScaledDepthBias: aNumber,
  depthClipEnable: aBoolean,
  scissorEnable: aBoolean,
  multisampleEnable: aBoolean,
  antialiasedLineEnable: aBoolean,
  forcedSampleCount: aSampleCount,
  conservativeRaster: oneOf('OFF', 'ON'),
}
const DEPTH_STENCIL_FIELDS: Fields = {
  depthEnable: aBoolean,
  depthWriteMask: oneOf('ZERO', 'ALL'),
  depthFunc: COMPARISON,
  stencilEnable: aBoolean,
  stencilReadMask: aByte,
  stencilWriteMask: aByte,
  frontFace: anything,
  backFace: anything,
}
const STENCIL_FIELDS: Fields = {
  stencilFailOp: STENCIL_OP,
  stencilDepthFailOp: STENCIL_OP,
  stencilPassOp: STENCIL_OP,
  stencilFunc: COMPARISON,
}
const BLEND_FIELDS: Fields = {
  alphaToCoverageEnable: aBoolean,
  independentBlendEnable: aBoolean,
  renderTarget: (v) => (Array.isArray(v) && v.length <= 8 ? undefined : 'a list of at most 8 entries'),
}
const LOGIC_OP = oneOf(
  ...['CLEAR', 'SET', 'COPY', 'COPY_INVERTED', 'NOOP', 'INVERT', 'AND', 'NAND', 'OR', 'NOR', 'XOR', 'EQUIV'],
  ...['AND_REVERSE', 'AND_INVERTED', 'OR_REVERSE', 'OR_INVERTED'],
)
const TARGET_FIELDS: Fields = {
  blendEnable: aBoolean,
  logicOpEnable: aBoolean,
  srcBlend: oneOf(...ALPHA_FACTORS, ...COLOR_FACTORS),
  destBlend: oneOf(...ALPHA_FACTORS, ...COLOR_FACTORS),
  blendOp: BLEND_OP,
  srcBlendAlpha: oneOf(...ALPHA_FACTORS),
  destBlendAlpha: oneOf(...ALPHA_FACTORS),
  blendOpAlpha: BLEND_OP,
  logicOp: LOGIC_OP,
  renderTargetWriteMask: wholeFrom(0, 15),
}

/** Fields of one part of the state, with the whole path as the place. */
function fieldsOf(path: string, given: unknown, fields: Fields): Diagnostic[] {
  if (given === undefined) return []
  return checkArguments('pipeline-state', path === '' ? 'a pipeline' : path, given, fields).map((d) => {
    const field = d.place?.kind === 'path' ? d.place.path : ''
    return { ...d, place: { kind: 'path', path: [path, field].filter((s) => s !== '').join('.') } }
  })
}

/** Values of the state, field by field: unknown fields and values that Direct3D does not have. */
export function checkStateValues(d: PipelineDescription): Diagnostic[] {
  const { depthStencil, blend } = d
  const targets = Array.isArray(blend?.renderTarget) ? blend.renderTarget : []
  return [
    ...fieldsOf('', d, PIPELINE_FIELDS),
    ...fieldsOf('rasterizer', d.rasterizer, RASTERIZER_FIELDS),
    ...fieldsOf('depthStencil', depthStencil, DEPTH_STENCIL_FIELDS),
    ...fieldsOf('depthStencil.frontFace', depthStencil?.frontFace, STENCIL_FIELDS),
    ...fieldsOf('depthStencil.backFace', depthStencil?.backFace, STENCIL_FIELDS),
    ...fieldsOf('blend', blend, BLEND_FIELDS),
    ...targets.flatMap((t, i) => fieldsOf(`blend.renderTarget[${i}]`, t, TARGET_FIELDS)),
  ]
}

const state = (path: string, text: string): Diagnostic => diagnostic('pipeline-state', text, { kind: 'path', path })

/** What a forced sample count does not go with (3.5.6.2): undefined in Direct3D, refused here. */
function checkForced(
  rasterizer: RasterizerState,
  depth: DepthStencilState,
  pixel: PipelineShader | undefined,
): Diagnostic[] {
  const { forcedSampleCount } = rasterizer
  if (forcedSampleCount === 0) return []
  const what = `forcedSampleCount is ${forcedSampleCount}`
  const found: Diagnostic[] = []
  if (depth.depthEnable || depth.stencilEnable) {
    const tests = [depth.depthEnable ? 'depthEnable' : '', depth.stencilEnable ? 'stencilEnable' : ''].filter(
      (s) => s !== '',
    )
    found.push(
      state(
        'depthStencil',
        `${what} and ${tests.join(' and ')} true; with a forced count there are no tests: set ${tests.join(' and ')} to false (3.5.6.2)`,
      ),
    )
  }
  const declared = pixel?.loaded.declarations
  if (declared === undefined || declared.stage.kind !== 'pixel') return found
  if (declared.stage.sampleFrequency) {
    found.push(
      state(
        'pixel',
        `${what} and the pixel shader runs for each sample (a sample index or a sample-mode input); with a forced count it runs for each pixel (3.5.6.2)`,
      ),
    )
  }
  if (declared.entries[0]!.outputs.some((o) => DEPTH_FILES.has(o.file))) {
    found.push(
      state(
        'pixel',
        `${what} and the pixel shader writes depth or a stencil reference; with a forced count there is no depth buffer (3.5.6.2)`,
      ),
    )
  }
  return found
}

const DEPTH_FILES: ReadonlySet<number> = new Set([
  FILE['output-depth'],
  FILE['output-depth-greater-equal'],
  FILE['output-depth-less-equal'],
  FILE['output-stencil-ref'],
])

/** Rules between parts of the state and the pixel shader. */
export function checkStateRules(
  rasterizer: RasterizerState,
  depth: DepthStencilState,
  pixel: PipelineShader | undefined,
): Diagnostic[] {
  const found = checkForced(rasterizer, depth, pixel)
  if (rasterizer.conservativeRaster === 'ON' && rasterizer.fillMode === 'WIREFRAME') {
    found.push(
      state(
        'rasterizer.conservativeRaster',
        'conservativeRaster is ON and fillMode WIREFRAME; conservative rasterization draws solid triangles',
      ),
    )
  }
  const inputs = pixel?.loaded.declarations.entries[0]?.inputs.map((i) => i.file) ?? []
  if (inputs.includes(FILE['input-coverage-mask']) && inputs.includes(FILE['inner-coverage'])) {
    found.push(state('pixel', 'the pixel shader reads both vCoverage and vInnerCoverage; Direct3D gives one of them'))
  }
  return found
}
