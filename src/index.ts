/**
 * Heddle: Direct3D shaders without Direct3D. The public face; everything else may move between versions.
 *
 * Reading: `readDxbc`, `decodeProgram`, `disassemble`, `validate`. Writing: `assemble`, `encodeProgram`, `writeDxbc`.
 * Running: `Device` with `srv`, `uav`, `cbv` and `sampler`.
 * Functions that read return `{ value?, diagnostics }` and do not throw on bad input; `disassemble` and the `OrThrow`
 * twins throw one ShaderError.
 */
export {
  type AssembleOptions,
  assemble,
  type DisassembleOptions,
  disassemble,
  disassembleOrThrow,
  disassembleOutcome,
  type ListingOptions,
} from './asm/index.ts'
export {
  assertNever,
  type BytePlace,
  CODES,
  type CodeInfo,
  type Diagnostic,
  type DiagnosticCode,
  describePlace,
  diagnostic,
  hasErrors,
  MAX_DIAGNOSTICS,
  type Outcome,
  type Paint,
  type PathPlace,
  type Place,
  renderDiagnostic,
  type Severity,
  ShaderError,
  type StatementPlace,
  type TextPlace,
  valueOrThrow,
} from './diagnostic/index.ts'
export {
  type DxbcChunk,
  type DxbcContainer,
  findChunk,
  findCodeChunk,
  type Reflection,
  readDxbc,
  readDxbcOrThrow,
  reflect,
  replaceChunk,
  stripChunks,
  writeDxbc,
} from './dxbc/index.ts'
export type {
  ClassInstance,
  ClassInstances,
  DeviceBuffer,
  DeviceDispatchOptions,
  DeviceOptions,
  DeviceShader,
  DeviceTexture,
  DispatchResult,
  GroupCounts,
  Observer,
} from './engine/index.ts'
export {
  type CheckOptions,
  type ConstantValues,
  cbv,
  check,
  Device,
  type DeviceDrawCall,
  type DeviceDrawResources,
  type DevicePipelineOptions,
  type EngineName,
  type IndexBufferBinding,
  isClean,
  type Report,
  type ResolveOptions,
  renderReport,
  type StreamOutputBinding,
  type SubresourcePlace,
  type VertexBufferBinding,
} from './host/index.ts'
export {
  type Bindings,
  type BufferOptions,
  dsv,
  rtv,
  type Schedule,
  sampler,
  srv,
  type TextureOptions,
  type UndefinedPolicy,
  uav,
} from './machine/index.ts'
export type { DrawResult, Pipeline, PipelineStatistics } from './pipeline/index.ts'
export {
  decodeProgram,
  decodeProgramOrThrow,
  encodeProgram,
  type Instruction,
  type Operand,
  type OperandIndex,
  type Program,
  type Statement,
} from './program/index.ts'
export { validate } from './validate/index.ts'
export { VERSION } from './version.ts'
