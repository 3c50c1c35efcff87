/**
 * What the source says of a program, for debuggers: files and their texts, the lines of each statement, the functions
 * that were inlined there, variables with their types and where each of their words is. From SPDB and SDBG, from a PDB
 * beside the shader, or, without debug data, from the listing and the reflection. `expression/` reads and evaluates
 * expressions of watches and conditions over them.
 *
 * Invariants: places are those of operands of the program, so that whoever can read registers and memory
 * (`ValueState`) has the values; a word without a place is not available there: never an older value. Debug data is
 * not believed: what is broken gives diagnostics and a map of what is left, never an exception.
 * Operators of expressions are computed by the meanings of instructions (`isa`), over the operations of an engine that
 * the caller passes in.
 * It runs nothing and reads no engine's state.
 */
export { homeText, placesText, placeText } from './describe.ts'
export type { ComputedValue, ExpressionValue, TreeValue } from './expression/computed.ts'
export { evaluateCondition, evaluateExpression } from './expression/evaluate.ts'
export { NOT_AVAILABLE, valueText } from './expression/format.ts'
export { FUNCTION_NAMES } from './expression/functions.ts'
export { type ExpressionContext, visibleVariables } from './expression/names.ts'
export { parseExpression } from './expression/parse.ts'
export { type LaneOfState, load as readValue } from './expression/read.ts'
export { type RegisterUse, registersIn, registerText } from './expression/registers-in.ts'
export type { Expression, ValueFormat } from './expression/tree.ts'
export {
  databaseNames,
  type FoundDatabase,
  findDatabase,
  isSameSource,
  type SourcePathMap,
  sourceNames,
} from './find.ts'
export { listingMap } from './listing-map.ts'
export type {
  MemoryAddress,
  MemoryFile,
  Piece,
  SourceFileOfMap,
  SourceFrame,
  SourceFunction,
  SourceMap,
  SourceRange,
  SourceValue,
  SourceVariable,
  StatementLines,
  ValueHome,
  VariableKind,
  WordPlace,
} from './model.ts'
export { reflectedType } from './reflected-type.ts'
export { registerVariables } from './registers.ts'
export { type SourceOptions, sourceOf } from './source-of.ts'
export { readPlace, type ValueState } from './state.ts'
export { type ScalarType, type SourceMember, type SourceType, sourceTypeText } from './type.ts'
export { childCount, childNamed, childrenOf, placeAt, wordsOf } from './value.ts'
