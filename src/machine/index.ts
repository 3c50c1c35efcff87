/**
 * What a shader runs on: buffers and textures over (Shared)ArrayBuffers, the views and samplers it sees them through,
 * texels in all formats, texture sampling, schedules and bindings.
 *
 * Invariants: resources, views and samplers are plain data that can be sent to a worker; the bytes of a resource are its
 * only state, with the words of hidden counters; makers return an Outcome and never throw; reading a result back is a view
 * of the bytes, not a copy; every operation on texels is float32 in a fixed order, so that engines agree bit for bit.
 * It runs nothing: engines do, on top of this.
 */
export {
  type Bindings,
  type BindingValue,
  type Bound,
  MAX_SLOT_INDEX,
  parseSlot,
  printSlot,
  type ResolvedBindings,
  resolveBindings,
  type Slot,
  type SlotRegister,
  slotKey,
  slotOfKey,
} from './bindings.ts'
export { type Buffer, type BufferOptions, createBuffer, MAX_STRUCTURE_STRIDE } from './buffer.ts'
export type { BufferViewOptions, UavCounterOptions } from './buffer-view.ts'
export {
  bitsOfF32,
  codecOf,
  componentDecoder,
  componentEncoder,
  decodeTable,
  f32OfBits,
  floatToSrgb8,
  SRGB8_LEAST_BITS,
  SRGB8_TABLES,
  type TexelCodec,
  type TexelDecoder,
  type TexelEncoder,
} from './format/index.ts'
export {
  type CbvOptions,
  createCbv,
  createCbv as cbv,
  createSrv,
  createSrv as srv,
  createUav,
  createUav as uav,
} from './make-view.ts'
export {
  type Allocation,
  align16,
  allocateStorage,
  type ElementArrays,
  type ElementKind,
  heapMemory,
  type InitialData,
  MAX_RESOURCE_BYTE_LENGTH,
  type Memory,
  type Storage,
  storageOver,
  viewStorage,
} from './memory.ts'
export { dsvOrThrow, rtvOrThrow, samplerOrThrow, srvOrThrow, uavOrThrow } from './or-throw.ts'
export {
  ADDRESS_MODES,
  type AddressMode,
  type ComparisonFunction,
  createSampler,
  createSampler as sampler,
  DEFAULT_SAMPLER,
  FILTERS,
  type FilterReduction,
  type Sampler,
  type SamplerOptions,
  type TapFilter,
} from './sampler.ts'
export {
  borderColor,
  bufferInfo,
  calculateLod,
  checkAccessMapped,
  FEEDBACK_FULLY_MAPPED,
  FRACTION_BITS,
  gatherTexels,
  isAnisotropic,
  loadElement,
  loadTexel,
  placeInBlock,
  programmableOffset,
  resourceInfo,
  type SampleRequest,
  sampleInfo,
  samplePosition,
  sampleRequest,
  sampleTexture,
  storeElement,
  storeTexel,
  texelOffset,
} from './sampling/index.ts'
export {
  checkDispatch,
  checkSchedule,
  DEFAULT_DISPATCH_LIMITS,
  DEFAULT_SCHEDULE,
  type DispatchLimits,
  MAX_GROUPS_PER_DIMENSION,
  POISON_WORD,
  permutation,
  type Schedule,
  type ScheduleOrder,
  seedState,
  UNDEFINED_POLICIES,
  type UndefinedPolicy,
  WAVE_WIDTHS,
  type WaveWidth,
  xorshift32,
} from './schedule.ts'
export {
  type Contents,
  type ContentsDifference,
  contentsByteLength,
  contentsExtent,
  countersDiffer,
  firstDifference,
  fitsContents,
  restoreContents,
  restorePages,
  type StoragePages,
  saveContents,
  savePages,
} from './snapshot.ts'
export {
  type BufferRtvOptions,
  createDsv,
  createDsv as dsv,
  createRtv,
  createRtv as rtv,
  type DsvOptions,
  type TextureRtvOptions,
} from './target-view.ts'
export {
  createTexture,
  resolveFormat,
  SAMPLE_COUNTS,
  type Subresource,
  subresource,
  type Texture,
  type TextureDimension,
  type TextureOptions,
} from './texture.ts'
export type { TextureSrvOptions, TextureUavOptions } from './texture-view.ts'
export {
  type Cbv,
  type Counter,
  type CounterUse,
  counterValue,
  type DepthStencilView,
  type RawBufferRange,
  type RawBufferSrv,
  type RawBufferUav,
  type RenderTargetView,
  type Srv,
  type StructuredBufferRange,
  type StructuredBufferSrv,
  type StructuredBufferUav,
  type TargetView,
  type TexelView,
  type TextureSrv,
  type TextureUav,
  type TypedBufferRange,
  type TypedBufferSrv,
  type TypedBufferUav,
  targetOffset,
  type Uav,
  type ViewDimension,
  type ViewLevel,
} from './view.ts'
export { type PagesOfStorage, WrittenPages } from './written-pages.ts'
