/**
 * The DXBC container: its frame and checksum, and one codec for each kind of part (reflection, signatures, statistics,
 * feature flags, dynamic linkage, root signature, debug name). The program is kept as bytes: the room `program`
 * decodes it, and the two meet only as bytes.
 *
 * Invariants: `writeDxbc(readDxbc(x).value)` is x and `encodeChunk(decodeChunk(c).value)` is c's data, byte for byte;
 * every model is plain data from which the bytes are made anew (no model holds its own source bytes, except what is
 * kept); a layout field stands only where a file differs from what fxc writes. Nothing here throws on bad input but
 * the OrThrow twin, and no count or offset is believed before it is held against the bytes that are there.
 *
 * It does not judge a shader (that is `validate`), and it does not read Direct3D 9 code. Debug information is read
 * (`debug/`) as records, and as what a listing shows; the room `source` makes a map of the source from the records. The
 * parts themselves are kept as bytes.
 */
export { latin1 } from './bytes.ts'
export { computeChecksum, hexDigest, md5, storedChecksum } from './checksum.ts'
export { type ChunkContent, decodeChunk, decodeChunkOrThrow, decodeChunks, encodeChunk } from './chunk.ts'
export {
  type DxbcChecksum,
  type DxbcChunk,
  type DxbcContainer,
  makeDxbc,
  readDxbc,
  readDxbcOrThrow,
  writeDxbc,
} from './container.ts'
export { type PlacedInlineRow, placedInlineRows } from './debug/annotations.ts'
export { type DatabaseModule, type ProgramDatabase, readDatabase } from './debug/database.ts'
export type { FileChecksum, Inlinee, LineRow } from './debug/lines.ts'
export type {
  DebugInfo,
  GroupsharedVariable,
  ScalarNote,
  ScalarRange,
  SourceFile,
  SourceLine,
  ValueNote,
  VariableLocation,
} from './debug/model.ts'
export { decodeDebugData, decodeDebugDataOrThrow, listedDebugData } from './debug/sdbg.ts'
export {
  DEBUG_REGISTER_SET,
  DEBUG_SCOPE,
  type DebugInput,
  type DebugInstruction,
  type DebugOutput,
  type DebugScalar,
  type DebugScope,
  type DebugScopeVariable,
  type DebugTables,
  NONE as NO_DEBUG_ROW,
  readDebugTables,
  type SourceToken,
} from './debug/sdbg-tables.ts'
export { decodeProgramDatabase, decodeProgramDatabaseOrThrow, listedProgramDatabase } from './debug/spdb.ts'
export { type DataSymbol, type LiveRange, type Scope, VARIABLE_FLAG, type Variable } from './debug/symbols.ts'
export { type DebugType, type TypeTable, typeOf as debugTypeOf } from './debug/types.ts'
export { type DebugName, decodeDebugName, encodeDebugName } from './debug-name.ts'
export { findChunk, findCodeChunk, replaceChunk, stripChunks } from './edit.ts'
export { decodeFeatureInfo, encodeFeatureInfo, type FeatureInfo, SHADER_FEATURES } from './feature-info.ts'
export { bytecodeHash, FNV_BASIS, fnv1Hash64 } from './hash.ts'
export {
  type ClassInstance,
  type ClassType,
  decodeInterfaces,
  encodeInterfaces,
  type InterfaceData,
  type InterfaceSlots,
  NO_SLOT,
} from './interfaces.ts'
export type { ChunkLayout, FillBytes } from './layout.ts'
export { CONTAINER_HEADER_BYTES, isContainer } from './magic.ts'
export { decodeResourceDefinition } from './rdef/decode.ts'
export { encodeResourceDefinition } from './rdef/encode.ts'
export {
  BUFFER_KIND,
  PROGRAM_TYPE,
  type ReflectedBinding,
  type ReflectedBuffer,
  type ReflectedMember,
  type ReflectedType,
  type ReflectedVariable,
  type ReflectionExtension,
  type ResourceDefinition,
  type SlotRange,
  TYPE_CLASS,
  VARIABLE_USED,
} from './rdef/model.ts'
export { bindingDimension, bindingFormat, bindingKindText, bindingType, typeText } from './rdef/type-text.ts'
export {
  type ReflectedElement,
  type ReflectedResource,
  type Reflection,
  type ReflectionBuffer,
  type ReflectionMember,
  type ReflectionVariable,
  reflect,
  reflectOrThrow,
} from './reflection.ts'
export {
  type DescriptorRange,
  type DescriptorTable,
  decodeRootSignature,
  encodeRootSignature,
  type RootConstants,
  type RootDescriptor,
  type RootParameter,
  type RootSignature,
  type StaticSampler,
} from './root-signature.ts'
export {
  COMPONENT_TYPE,
  decodeSignature,
  encodeSignature,
  isSignatureFourcc,
  NO_REGISTER,
  SIGNATURE_FOURCCS,
  type Signature,
  type SignatureElement,
  type SignatureFourcc,
} from './signature.ts'
export {
  decodeStatistics,
  encodeStatistics,
  STAT_DWORDS_4,
  STAT_DWORDS_5,
  STAT_FIELDS,
  type StatCounts,
  type StatField,
  type Statistics,
  zeroStatCounts,
} from './stat.ts'
