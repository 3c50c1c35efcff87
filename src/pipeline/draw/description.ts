/** What a pipeline is made from, and the pipeline that is made: what the checks of pipelines and draws read. */
import type { Diagnostic } from '../../diagnostic/index.ts'
import type { RasterizerInputs } from '../geometry.ts'
import type { InputLayout, Topology } from '../input/index.ts'
import type { PixelLinkage } from '../pixels/index.ts'
import type { PipelineShader } from '../shader.ts'
import type {
  BlendState,
  DepthStencilState,
  Given,
  InputElement,
  Precision,
  PrimitiveTopology,
  RasterizerState,
  StencilFace,
  StreamOutputState,
  TargetBlend,
} from '../state.ts'
import type { StreamOutputLayout } from '../streams/index.ts'

/** The shaders and the state of a pipeline; state that is left out has the defaults of Direct3D 11. */
export interface PipelineDescription<Shader = PipelineShader> {
  readonly vertex: Shader
  readonly hull?: Shader | undefined
  readonly domain?: Shader | undefined
  readonly geometry?: Shader | undefined
  readonly pixel?: Shader | undefined
  readonly inputLayout?: readonly InputElement[] | undefined
  readonly topology: PrimitiveTopology
  readonly rasterizer?: Given<RasterizerState> | undefined
  readonly depthStencil?: DepthStencilDescription | undefined
  readonly blend?: BlendDescription | undefined
  /** Default 0xffffffff. */
  readonly sampleMask?: number | undefined
  readonly streamOutput?: Given<StreamOutputState> | undefined
  /** Whether the cut index also acts on lists, as the functional specification has it (8.12). Default true. */
  readonly cutOnLists?: boolean | undefined
  /** How pixels are computed: `exact`, the default, or `fast`, whose colors may differ in their last bits (docs/drawing.md). */
  readonly precision?: Precision | undefined
}

export interface DepthStencilDescription extends Given<Omit<DepthStencilState, 'frontFace' | 'backFace'>> {
  readonly frontFace?: Given<StencilFace> | undefined
  readonly backFace?: Given<StencilFace> | undefined
}

export interface BlendDescription {
  readonly alphaToCoverageEnable?: boolean | undefined
  readonly independentBlendEnable?: boolean | undefined
  readonly renderTarget?: readonly Given<TargetBlend>[] | undefined
}

/** Shaders and state that fit each other, ready to draw; made by `createPipeline`. */
export interface Pipeline {
  readonly vertex: PipelineShader
  readonly hull: PipelineShader | undefined
  readonly domain: PipelineShader | undefined
  readonly geometry: PipelineShader | undefined
  readonly pixel: PipelineShader | undefined
  readonly inputLayout: InputLayout
  readonly topology: Topology
  readonly rasterizer: RasterizerState
  readonly depthStencil: DepthStencilState
  readonly blend: BlendState
  readonly sampleMask: number
  readonly streamOutput: StreamOutputLayout | undefined
  readonly cutOnLists: boolean
  readonly precision: Precision
  /** What the last stage before the rasterizer writes, and where the rasterizer finds what it needs. */
  readonly rasterizerInputs: RasterizerInputs
  readonly linkage: PixelLinkage
  /** Stream that is rasterized, -1 where the rasterizer is off (15.2). */
  readonly rasterizedStream: number
  readonly diagnostics: readonly Diagnostic[]
}
