/**
 * Where engines, devices and the checker are put together: the one room that imports every engine. The public face exports it;
 * `heddle/check` and `heddle/job` are files of this room, `node/` holds the adapters to Node.
 */
export { type ConstantValues, cbv, cbvOrThrow, type ShaderWithNames } from './cbv.ts'
export {
  type CheckDescriptionOptions,
  type CheckOptions,
  check,
  checkParsed,
  type DescriptionCheck,
  isClean,
  type Report,
  renderReport,
} from './check.ts'
export { debug } from './debug.ts'
export { Device, type EngineName, type ResolveOptions, type SubresourcePlace } from './device.ts'
export { ENGINES, engineNamed } from './engines.ts'
export type {
  DeviceDrawCall,
  DeviceDrawResources,
  DevicePipelineOptions,
  IndexBufferBinding,
  StreamOutputBinding,
  VertexBufferBinding,
} from './graphics.ts'
export { shaderFindings } from './shader-findings.ts'
