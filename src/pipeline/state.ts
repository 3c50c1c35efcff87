/**
 * State of the graphics pipeline as Direct3D 11 describes it, in camelCase and with Direct3D 11's defaults: what callers
 * write down, and what it means when every default is filled in (`draw/resolve-state.ts`).
 */

/**
 * How what Direct3D leaves open in pixels is computed: `exact`, or with less work in float32 (`fast`). Coverage, depth, stencil and
 * counts do not depend on it (docs/drawing.md).
 */
export type Precision = 'exact' | 'fast'

/** A description of which any field may be left out or undefined: it has its default then. */
export type Given<T> = { readonly [K in keyof T]?: T[K] | undefined }

export type PrimitiveTopology =
  | 'POINTLIST'
  | 'LINELIST'
  | 'LINESTRIP'
  | 'TRIANGLELIST'
  | 'TRIANGLESTRIP'
  | 'LINELIST_ADJ'
  | 'LINESTRIP_ADJ'
  | 'TRIANGLELIST_ADJ'
  | 'TRIANGLESTRIP_ADJ'
  /** 1 to 32 control points: `4_CONTROL_POINT_PATCHLIST`. */
  | `${number}_CONTROL_POINT_PATCHLIST`

/** D3D11_INPUT_ELEMENT_DESC. */
export interface InputElement {
  /** Compared without regard to case. */
  readonly semanticName: string
  /** Default 0. */
  readonly semanticIndex?: number | undefined
  /** DXGI format name without its prefix. */
  readonly format: string
  /** 0 to 31; default 0. */
  readonly inputSlot?: number | undefined
  /** Bytes from the start of the vertex; default 'APPEND' (0xffffffff): after the slot's previous element, aligned. */
  readonly alignedByteOffset?: number | 'APPEND' | undefined
  /** Default 'PER_VERTEX_DATA'. */
  readonly inputSlotClass?: 'PER_VERTEX_DATA' | 'PER_INSTANCE_DATA' | undefined
  /** Instances that share an element of per-instance data; 0 for all. Default 0. */
  readonly instanceDataStepRate?: number | undefined
}

/** D3D11_RASTERIZER_DESC2. */
export interface RasterizerState {
  readonly fillMode: 'SOLID' | 'WIREFRAME'
  readonly cullMode: 'NONE' | 'FRONT' | 'BACK'
  readonly frontCounterClockwise: boolean
  /** Integer, in steps of the depth format. */
  readonly depthBias: number
  readonly depthBiasClamp: number
  readonly slopeScaledDepthBias: number
  readonly depthClipEnable: boolean
  readonly scissorEnable: boolean
  readonly multisampleEnable: boolean
  readonly antialiasedLineEnable: boolean
  /** 0 (off), 1, 4, 8 or 16. */
  readonly forcedSampleCount: number
  readonly conservativeRaster: 'OFF' | 'ON'
}

export type ComparisonFunc =
  | 'NEVER'
  | 'LESS'
  | 'EQUAL'
  | 'LESS_EQUAL'
  | 'GREATER'
  | 'NOT_EQUAL'
  | 'GREATER_EQUAL'
  | 'ALWAYS'
export type StencilOp = 'KEEP' | 'ZERO' | 'REPLACE' | 'INCR_SAT' | 'DECR_SAT' | 'INVERT' | 'INCR' | 'DECR'

/** D3D11_DEPTH_STENCILOP_DESC. */
export interface StencilFace {
  readonly stencilFailOp: StencilOp
  readonly stencilDepthFailOp: StencilOp
  readonly stencilPassOp: StencilOp
  readonly stencilFunc: ComparisonFunc
}

/** D3D11_DEPTH_STENCIL_DESC. */
export interface DepthStencilState {
  readonly depthEnable: boolean
  readonly depthWriteMask: 'ZERO' | 'ALL'
  readonly depthFunc: ComparisonFunc
  readonly stencilEnable: boolean
  /** 8 bits. */
  readonly stencilReadMask: number
  readonly stencilWriteMask: number
  readonly frontFace: StencilFace
  readonly backFace: StencilFace
}

export type BlendFactor =
  | 'ZERO'
  | 'ONE'
  | 'SRC_COLOR'
  | 'INV_SRC_COLOR'
  | 'SRC_ALPHA'
  | 'INV_SRC_ALPHA'
  | 'DEST_ALPHA'
  | 'INV_DEST_ALPHA'
  | 'DEST_COLOR'
  | 'INV_DEST_COLOR'
  | 'SRC_ALPHA_SAT'
  | 'BLEND_FACTOR'
  | 'INV_BLEND_FACTOR'
  | 'SRC1_COLOR'
  | 'INV_SRC1_COLOR'
  | 'SRC1_ALPHA'
  | 'INV_SRC1_ALPHA'
export type BlendOp = 'ADD' | 'SUBTRACT' | 'REV_SUBTRACT' | 'MIN' | 'MAX'
export type LogicOp =
  | 'CLEAR'
  | 'SET'
  | 'COPY'
  | 'COPY_INVERTED'
  | 'NOOP'
  | 'INVERT'
  | 'AND'
  | 'NAND'
  | 'OR'
  | 'NOR'
  | 'XOR'
  | 'EQUIV'
  | 'AND_REVERSE'
  | 'AND_INVERTED'
  | 'OR_REVERSE'
  | 'OR_INVERTED'

/** D3D11_RENDER_TARGET_BLEND_DESC1. */
export interface TargetBlend {
  readonly blendEnable: boolean
  readonly logicOpEnable: boolean
  readonly srcBlend: BlendFactor
  readonly destBlend: BlendFactor
  readonly blendOp: BlendOp
  readonly srcBlendAlpha: BlendFactor
  readonly destBlendAlpha: BlendFactor
  readonly blendOpAlpha: BlendOp
  readonly logicOp: LogicOp
  /** Bit 0 red to bit 3 alpha. */
  readonly renderTargetWriteMask: number
}

/** D3D11_BLEND_DESC1. */
export interface BlendState {
  readonly alphaToCoverageEnable: boolean
  readonly independentBlendEnable: boolean
  /** Eight; where `independentBlendEnable` is false entry 0 counts for all. */
  readonly renderTarget: readonly TargetBlend[]
}

/** D3D11_VIEWPORT. */
export interface Viewport {
  readonly topLeftX: number
  readonly topLeftY: number
  readonly width: number
  readonly height: number
  readonly minDepth: number
  readonly maxDepth: number
}

/** D3D11_RECT: pixels from left and top up to, not including, right and bottom. */
export interface ScissorRect {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** D3D11_SO_DECLARATION_ENTRY; an entry without a semantic name is a gap. */
export interface StreamOutputEntry {
  readonly stream: number
  readonly semanticName: string | null
  readonly semanticIndex: number
  readonly startComponent: number
  readonly componentCount: number
  readonly outputSlot: number
}

export interface StreamOutputState {
  readonly declaration: readonly StreamOutputEntry[]
  /** Bytes of a vertex in each buffer; default: what its entries take. */
  readonly strides: readonly number[]
  /** Stream that is rasterized, or null for none. */
  readonly rasterizedStream: number | null
}

export const DEFAULT_STENCIL_FACE: StencilFace = {
  stencilFailOp: 'KEEP',
  stencilDepthFailOp: 'KEEP',
  stencilPassOp: 'KEEP',
  stencilFunc: 'ALWAYS',
}

/** CD3D11_RASTERIZER_DESC(CD3D11_DEFAULT). */
export const DEFAULT_RASTERIZER: RasterizerState = {
  fillMode: 'SOLID',
  cullMode: 'BACK',
  frontCounterClockwise: false,
  depthBias: 0,
  depthBiasClamp: 0,
  slopeScaledDepthBias: 0,
  depthClipEnable: true,
  scissorEnable: false,
  multisampleEnable: false,
  antialiasedLineEnable: false,
  forcedSampleCount: 0,
  conservativeRaster: 'OFF',
}

/** CD3D11_DEPTH_STENCIL_DESC(CD3D11_DEFAULT). */
export const DEFAULT_DEPTH_STENCIL: DepthStencilState = {
  depthEnable: true,
  depthWriteMask: 'ALL',
  depthFunc: 'LESS',
  stencilEnable: false,
  stencilReadMask: 0xff,
  stencilWriteMask: 0xff,
  frontFace: DEFAULT_STENCIL_FACE,
  backFace: DEFAULT_STENCIL_FACE,
}

/** CD3D11_BLEND_DESC(CD3D11_DEFAULT), one target. */
export const DEFAULT_TARGET_BLEND: TargetBlend = {
  blendEnable: false,
  logicOpEnable: false,
  srcBlend: 'ONE',
  destBlend: 'ZERO',
  blendOp: 'ADD',
  srcBlendAlpha: 'ONE',
  destBlendAlpha: 'ZERO',
  blendOpAlpha: 'ADD',
  logicOp: 'NOOP',
  renderTargetWriteMask: 0xf,
}

export const DEFAULT_BLEND: BlendState = {
  alphaToCoverageEnable: false,
  independentBlendEnable: false,
  renderTarget: Array.from({ length: 8 }, () => DEFAULT_TARGET_BLEND),
}
