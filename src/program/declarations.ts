/** What declarations declare, by form and by the names of their parameters; engines, validator, assembler and `heddle info` read it. */
import { controlOf, type DeclarationForm, GLOBAL_FLAG_LIST, GLOBAL_FLAGS, rowOfOpcode } from '../isa/index.ts'
import type { Instruction, Program } from './model.ts'

/** What kind of thing a declaration declares. */
type DeclarationClass =
  /** A register that the stage reads or leaves. */
  | 'input'
  | 'output'
  /** A range of such registers that is indexed at run time. */
  | 'index-range'
  /** t#, u#, b#, s#, g#. */
  | 'binding'
  /** r# and x#. */
  | 'temporary'
  /** Functions and interface pointers. */
  | 'linkage'
  /** Something of the program or its stage as a whole. */
  | 'program'

export const DECLARATION_CLASS: Readonly<Record<DeclarationForm, DeclarationClass>> = {
  resource: 'binding',
  'resource-raw': 'binding',
  'resource-structured': 'binding',
  'uav-typed': 'binding',
  'uav-raw': 'binding',
  'uav-structured': 'binding',
  'tgsm-raw': 'binding',
  'tgsm-structured': 'binding',
  sampler: 'binding',
  'constant-buffer': 'binding',
  'index-range': 'index-range',
  input: 'input',
  'input-sv': 'input',
  'input-ps': 'input',
  'input-ps-sv': 'input',
  output: 'output',
  'output-sv': 'output',
  temps: 'temporary',
  'indexable-temp': 'temporary',
  'global-flags': 'program',
  'gs-input-primitive': 'program',
  'gs-output-topology': 'program',
  'gs-max-output': 'program',
  'gs-instances': 'program',
  stream: 'program',
  'thread-group': 'program',
  'function-body': 'linkage',
  'function-table': 'linkage',
  interface: 'linkage',
  'input-control-points': 'program',
  'output-control-points': 'program',
  'tess-domain': 'program',
  'tess-partitioning': 'program',
  'tess-output-primitive': 'program',
  'hs-max-tessfactor': 'program',
  'hs-fork-instances': 'program',
  'hs-join-instances': 'program',
}

/** Names that rows give to the dwords beside their operands. */
export type ParameterName =
  | 'body'
  | 'byteCount'
  | 'callSite'
  | 'callSites'
  | 'components'
  | 'count'
  | 'factor'
  | 'interface'
  | 'lengths'
  | 'register'
  | 'returnTypes'
  | 'size'
  | 'space'
  | 'stride'
  | 'systemValue'
  | 'table'
  | 'x'
  | 'y'
  | 'z'

/** The form of a declaration; undefined for other instructions. */
function declarationForm(instruction: Instruction): DeclarationForm | undefined {
  const traits = rowOfOpcode(instruction.opcode)?.traits
  return traits?.kind === 'declaration' ? traits.declares : undefined
}

/** A parameter by its name; undefined where the row or the instruction does not have it. */
export function parameterOf(instruction: Instruction, name: ParameterName): number | undefined {
  const at = rowOfOpcode(instruction.opcode)?.parameters.indexOf(name) ?? -1
  return at < 0 ? undefined : instruction.parameters[at]
}

/** Every declaration of a form, in order. */
export function declarationsOf(program: Program, form: DeclarationForm): Instruction[] {
  const found: Instruction[] = []
  for (const s of program.statements) if (s.kind === 'instruction' && declarationForm(s) === form) found.push(s)
  return found
}

/** Words of the global flags that any declaration of the program sets. */
export function globalFlagsOf(program: Program): ReadonlySet<string> {
  let flags = 0
  for (const { controls } of declarationsOf(program, 'global-flags')) flags |= controlOf(controls, GLOBAL_FLAGS)
  return new Set(GLOBAL_FLAG_LIST.filter((f) => ((flags >> f.bit) & 1) === 1).map((f) => f.word))
}

/** Threads of a group in x, y, z, as the first declaration says. */
export function threadGroupOf(program: Program): readonly [x: number, y: number, z: number] | undefined {
  const declared = declarationsOf(program, 'thread-group')[0]
  if (declared === undefined) return undefined
  return [parameterOf(declared, 'x') ?? 0, parameterOf(declared, 'y') ?? 0, parameterOf(declared, 'z') ?? 0]
}
